#include "lab/home_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"
#include "comm/job_secret.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Written beside its place and linked to it, which only the first of several can do.
Result<void> make_key(const fs::path& path) {
  TACHO_CHECK(make_folders(path.parent_path()));
  const fs::path beside = path.string() + fmt::format(".{}", ::getpid());
  ::unlink(beside.c_str());  // of a process that was killed
  const UniqueFd fd(
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return system_error(beside, errno);
  auto written = write_all(fd.get(), new_job_secret() + "\n", beside);
  const bool linked = written.ok() && ::link(beside.c_str(), path.c_str()) == 0;
  const int error = errno;
  ::unlink(beside.c_str());
  if (!written.ok() || linked || error == EEXIST) return written;
  return system_error(path, error);
}

}  // namespace

Result<std::string> home_key(const fs::path& home) {
  const fs::path path = home / "job.key";
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ENOENT) {
    TACHO_CHECK(make_key(path));
    fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  }
  if (!fd) return system_error(path, errno);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return system_error(path, errno);
  constexpr mode_t kOfOthers = 0077;
  if (!S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & kOfOthers) != 0) {
    return Error{ErrorCode::usage,
                 fmt::format("{} must be a file that you alone can read; remove it, and it is "
                             "made again",
                             path.string())};
  }
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
  if (got < 0) return system_error(path, errno);
  return parse_job_secret({bytes.data(), static_cast<std::size_t>(got)}).in(path.string());
}

}  // namespace tacho
