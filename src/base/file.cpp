#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <system_error>

#include "base/confined_file.h"
#include "base/home.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path normal = path.lexically_normal();
  return std::mismatch(folder.begin(), folder.end(), normal.begin(), normal.end()).first ==
         folder.end();
}

struct TemporaryFile {
  fs::path path;
  UniqueFd fd;
};

// Creates a file in the folder of `path`, as mkostemp does, but readable as far as the umask
// allows. O_EXCL follows no link, so that guessing the name cannot redirect the content.
Result<TemporaryFile> make_temporary(const fs::path& path) {
  constexpr int kTries = 100;
  std::random_device random;
  for (int i = 0; i < kTries; ++i) {
    fs::path temporary = fmt::format("{}.tmp.{:08x}", path.string(), random());
    UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (fd) return TemporaryFile{std::move(temporary), std::move(fd)};
    if (errno != EEXIST) break;
  }
  return system_error(path, errno);
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Error system_error(const fs::path& path, int error_number) {
  const auto code = error_number == ENOENT ? ErrorCode::not_found : ErrorCode::io;
  return {code, fmt::format("{}: {}", path.string(),
                            std::error_code(error_number, std::generic_category()).message())};
}

Result<std::string> read_file(const fs::path& path, Bytes limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error(path, errno);
  return read_rest(fd.get(), path, limit);
}

Result<void> write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return system_error(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

Result<AtomicFile> AtomicFile::create(fs::path path) {
  std::error_code absent;
  const fs::file_status existing = fs::status(path, absent);
  if (fs::is_directory(existing)) {
    return Error{ErrorCode::invalid, path.string() + ": is a folder; name a file"};
  }
  if (fs::exists(existing) && !fs::is_regular_file(existing)) {
    UniqueFd device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!device) return system_error(path, errno);
    return AtomicFile(std::move(path), "", std::move(device));
  }
  // A link is kept: the file it points to is replaced.
  if (fs::is_symlink(fs::symlink_status(path, absent)) && fs::exists(existing)) {
    path = fs::canonical(path, absent);
    if (absent) return system_error(path, absent.value());
  }
  TACHO_TRY(temporary, make_temporary(path));
  return AtomicFile(std::move(path), std::move(temporary.path), std::move(temporary.fd));
}

AtomicFile::~AtomicFile() {
  if (fd_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> AtomicFile::write(std::string_view bytes) {
  return write_all(fd_.get(), bytes, path_);
}

Result<void> AtomicFile::commit(Outlives what) {
  if (temporary_.empty()) {
    fd_.reset();
    return {};
  }
  const bool synced = what == Outlives::power_cut;
  if (synced && ::fsync(fd_.get()) != 0) return system_error(path_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error(path_, errno);
  fd_.reset();
  if (!synced) return {};
  // Without this a power cut may undo the rename.
  const UniqueFd folder(::open(parent_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
  return {};
}

Result<void> write_file_atomically(const fs::path& path, std::string_view content, Outlives what) {
  TACHO_TRY(file, AtomicFile::create(path));
  TACHO_CHECK(file.write(content));
  return file.commit(what);
}

Result<void> make_folders(const fs::path& path) {
  std::error_code error;
  // Arguments and output of runs may be private: only this user can read the home.
  const auto home = tacho_home();
  if (home.ok() && is_within(fs::absolute(path, error), *home) && !fs::exists(*home, error)) {
    fs::create_directories(home->parent_path(), error);
    if (!error) ::mkdir(home->c_str(), 0700);
  }
  fs::create_directories(path, error);
  if (error) {
    return Error{ErrorCode::io,
                 fmt::format("{}: cannot be created: {}", path.string(), error.message())};
  }
  return {};
}

Result<FileLock> FileLock::take(const fs::path& path, Kind kind) {
  auto opened = open_confined(parent_of(path), path.filename(), O_RDWR | O_CREAT);
  if (!opened.ok()) {
    // On a read-only disk, locks of other processes can still be seen.
    auto to_read = open_confined(parent_of(path), path.filename(), O_RDONLY);
    if (!to_read.ok()) return opened.error();
    opened = std::move(to_read);
  }
  UniqueFd fd = *std::move(opened);
  const int operation = (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  while (::flock(fd.get(), operation) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) {
      return Error{ErrorCode::unavailable, path.string() + ": in use by another process"};
    }
    return system_error(path, errno);
  }
  return FileLock(std::move(fd));
}

}  // namespace tacho
