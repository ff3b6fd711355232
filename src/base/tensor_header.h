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
  std::size_t begin = 0;  // offset of its bytes in the data after the header
  std::size_t end = 0;
};

// The header of a safetensors file: the tensors and their offsets in the data after the header.
struct TensorHeader {
  std::vector<TensorEntry> tensors;
  std::map<std::string, std::string> metadata;
};

// Checks that every tensor has a known type, that its size matches its shape and the `data_size`
// bytes of data, and that no two overlap, so that all together are no larger than the file.
Result<TensorHeader> read_tensor_header(std::string_view json, std::size_t data_size);

}  // namespace tacho
