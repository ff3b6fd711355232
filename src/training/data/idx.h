#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace tacho {

struct IdxArray {
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> values;
};

// Reads an IDX file of unsigned bytes, plain or gzip-compressed: MNIST's format. Strict: one byte
// too few or too many is an error. Rejects headers that state more than 4 GiB, or more than a file
// of that size can contain at the best compression, so a false header allocates little.
Result<IdxArray> read_idx(const std::filesystem::path& file, std::size_t dimensions);

}  // namespace tacho
