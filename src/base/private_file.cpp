#include "base/private_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "base/confined_file.h"
#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Result<void> check_private(const struct stat& facts, const fs::path& path) {
  constexpr mode_t kOfOthers = 0077;
  constexpr mode_t kBits = 07777;
  if (!S_ISREG(facts.st_mode)) {
    return Error{ErrorCode::usage,
                 fmt::format("{}: not a regular file; links, folders, pipes and devices are not "
                             "accepted, so name another file",
                             path.string())};
  }
  if (facts.st_uid == ::geteuid() && (facts.st_mode & kOfOthers) == 0) return {};
  return Error{ErrorCode::usage,
               fmt::format("{}: must be a file of user {} that only you can read, but user {} owns "
                           "it and its mode is {:04o}; remove it, and tacho writes a new one",
                           path.string(), ::geteuid(), facts.st_uid, facts.st_mode & kBits)};
}

}  // namespace

Result<std::string> read_private(const fs::path& path, Bytes limit) {
  struct stat facts {};
  // A file of another user cannot be opened.
  if (::lstat(path.c_str(), &facts) != 0) return system_error(path, errno);
  TACHO_CHECK(check_private(facts, path));
  TACHO_TRY(fd, open_confined(path.parent_path(), path.filename()));
  if (::fstat(fd.get(), &facts) != 0) return system_error(path, errno);
  TACHO_CHECK(check_private(facts, path));
  return read_rest(fd.get(), path, limit);
}

Result<void> write_private(const fs::path& path, std::string_view content) {
  std::random_device random;
  const fs::path temporary = fmt::format("{}.tmp.{:08x}{:08x}", path.string(), random(), random());
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const UniqueFd fd(::open(temporary.c_str(), kNew, 0600));
  if (!fd) return system_error(path, errno);
  auto written = write_all(fd.get(), content, path);
  if (written.ok() && (::fsync(fd.get()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0)) {
    written = system_error(path, errno);
  }
  if (!written.ok()) ::unlink(temporary.c_str());
  return written;
}

}  // namespace tacho
