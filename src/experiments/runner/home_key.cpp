#include "experiments/runner/home_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/private_file.h"
#include "machine/comm/job_secret.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestKey{4096};

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
  auto key = read_private(path, kLargestKey);
  if (!key.ok() && key.error().code == ErrorCode::not_found) {
    TACHO_CHECK(make_key(path));
    key = read_private(path, kLargestKey);
  }
  if (!key.ok()) return key.error();
  return parse_job_secret(*key).in(path.string());
}

}  // namespace tacho
