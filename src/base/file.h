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

// "PATH: what the system said", with a code that tells a missing file from a refused one.
Error system_error(const std::filesystem::path& path, int error_number);

Result<std::string> read_file(const std::filesystem::path& path, Bytes limit = Bytes{1 << 30});

// What a file survives once it is written. A power cut may tear a file of the first kind, or lose
// it; syncing one of the second to the disk takes milliseconds.
enum class Outlives { kill, power_cut };

// A file that appears whole or not at all: written beside its place, synced and renamed by
// commit(). Until then, and if commit() is never reached, the old file stays as it was. What is no
// plain file, as a pipe or /dev/stdout, is written to as it is.
class AtomicFile {
 public:
  static Result<AtomicFile> create(std::filesystem::path path);
  AtomicFile(AtomicFile&& other) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Result<void> write(std::string_view bytes);
  Result<void> commit(Outlives what = Outlives::power_cut);

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path beside, UniqueFd fd)
      : path_(std::move(path)), beside_(std::move(beside)), fd_(std::move(fd)) {}

  std::filesystem::path path_;
  std::filesystem::path beside_;  // "": written in place
  UniqueFd fd_;                   // closed once committed
};

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                   Outlives what = Outlives::power_cut);

Result<void> make_folders(const std::filesystem::path& path);

// Writes everything or says why not.
Result<void> write_all(int fd, std::string_view bytes, const std::filesystem::path& path);

// A lock on a file, held until the object or the process ends, however it ends.
class FileLock {
 public:
  enum class Kind { shared, exclusive };
  // Creates the file if need be. Does not wait: ErrorCode::unavailable if another holds it.
  static Result<FileLock> take(const std::filesystem::path& path, Kind kind);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace tacho
