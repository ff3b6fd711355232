#include "training/weights/stored_tensor.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tacho {

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

std::size_t element_bytes(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 10> kBytes = {{{"F32", 4},
                                                                                {"F64", 8},
                                                                                {"F16", 2},
                                                                                {"BF16", 2},
                                                                                {"I64", 8},
                                                                                {"I32", 4},
                                                                                {"I16", 2},
                                                                                {"I8", 1},
                                                                                {"U8", 1},
                                                                                {"BOOL", 1}}};
  for (const auto& [known, bytes] : kBytes) {
    if (known == type) return bytes;
  }
  return 0;
}

}  // namespace tacho
