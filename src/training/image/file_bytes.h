#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"

namespace tacho {

// Reads files into a reused buffer. The result of read() is valid until the next call.
class FileBytes {
 public:
  // Errors do not contain the file name.
  Result<std::span<const std::uint8_t>> read(const std::filesystem::path& file);
  void release_memory_above(std::size_t bytes);

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace tacho
