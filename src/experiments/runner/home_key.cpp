#include "experiments/runner/home_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"
#include "machine/comm/job_secret.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Writes a temporary file and links it to `path`, so that only one of several processes succeeds.
Result<void> make_key(const fs::path& path) {
  TACHO_CHECK(make_folders(path.parent_path()));
  const fs::path temporary = path.string() + fmt::format(".{}", ::getpid());
  ::unlink(temporary.c_str());  // left by a process that was killed
  const UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return system_error(temporary, errno);
  auto written = write_all(fd.get(), new_job_secret() + "\n", temporary);
  const bool linked = written.ok() && ::link(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  ::unlink(temporary.c_str());
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
                 fmt::format("{} must be a file that only you can read; remove it, and tacho "
                             "creates a new one",
                             path.string())};
  }
  std::array<char, 256> bytes{};
  const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
  if (got < 0) return system_error(path, errno);
  return parse_job_secret({bytes.data(), static_cast<std::size_t>(got)}).in(path.string());
}

}  // namespace tacho
