#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "training/weights/input_file.h"

namespace tacho {

// Where a tensor's elements are in a file. Strides are never negative, and everything from the
// first to the last element is within the file.
struct StoredTensor {
  std::string name;
  std::string type;  // F32, F64, F16, BF16, I64, I32, I16, I8, U8 or BOOL
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in elements
  std::size_t begin = 0;              // of the first element, in bytes
  std::size_t reach = 0;              // elements from the first to the last one in the file
};

struct WeightsFile {
  InputFile file;
  std::vector<StoredTensor> tensors;
};

// Strides of a tensor whose elements follow each other.
std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape);

// The bytes of one element; 0 for an unknown type.
std::size_t element_bytes(std::string_view type);

}  // namespace tacho
