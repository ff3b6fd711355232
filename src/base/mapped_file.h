#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "base/result.h"

namespace tacho {

// A file mapped into memory, read-only. Processes that map the same file share its memory. The file
// may be replaced meanwhile, but a program that shortens it ends this process with SIGBUS.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::span<const std::uint8_t> bytes_;  // without data if the file is empty
};

}  // namespace tacho
