#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

struct TensorEntry {
  std::string name;
  std::string type;  // F32, F64, F16, BF16, I64, I32, U8 or BOOL
  std::vector<std::int64_t> shape;
  std::size_t begin = 0;  // of its bytes, in the data behind the header
  std::size_t end = 0;
};

// The header of a safetensors file: which tensors lie where in the `data_size` bytes behind it.
struct TensorHeader {
  std::vector<TensorEntry> tensors;
  std::map<std::string, std::string> metadata;
};

// Strict: every tensor has a known type, fits its shape and the data, and shares no byte with
// another, so that all of them together are no larger than the file.
Result<TensorHeader> read_tensor_header(std::string_view json, std::size_t data_size);

}  // namespace tacho
