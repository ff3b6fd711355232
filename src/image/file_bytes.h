#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"

namespace tacho {

// Reads one file after the other into the same memory. What read() gives is valid until the next.
class FileBytes {
 public:
  // Errors lack the file's name.
  Result<std::span<const std::uint8_t>> read(const std::filesystem::path& file);
  void release_memory_above(std::size_t bytes);

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace tacho
