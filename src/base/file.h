#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/units.h"

namespace tacho {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

// Returns "PATH: message of the system", with ErrorCode::not_found for a missing file and
// ErrorCode::io for any other error.
Error system_error(const std::filesystem::path& path, int error_number);

Result<std::string> read_file(const std::filesystem::path& path, Bytes limit = Bytes{1 << 30});

// The event that a written file survives. With `kill`, a power cut may lose the file or leave part
// of it; with `power_cut`, syncing to the disk takes milliseconds.
enum class Outlives { kill, power_cut };

// A file that appears complete or not at all: written under a temporary name in the same folder,
// then synced and renamed by commit(). Without commit(), the old file stays unchanged. Pipes and
// devices such as /dev/stdout are written to directly.
class AtomicFile {
 public:
  static Result<AtomicFile> create(std::filesystem::path path);
  AtomicFile(AtomicFile&& other) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Result<void> write(std::string_view bytes);
  Result<void> commit(Outlives what = Outlives::power_cut);

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path temporary, UniqueFd fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // "": written directly
  UniqueFd fd_;                      // closed by commit()
};

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                   Outlives what = Outlives::power_cut);

Result<void> make_folders(const std::filesystem::path& path);

// Writes all bytes, retrying after short writes.
Result<void> write_all(int fd, std::string_view bytes, const std::filesystem::path& path);

// A lock on a file, held until the object is destroyed or the process ends, even by a kill.
class FileLock {
 public:
  enum class Kind { shared, exclusive };
  // Creates the file if needed. Does not wait: ErrorCode::unavailable if another process holds it.
  static Result<FileLock> take(const std::filesystem::path& path, Kind kind);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace tacho
