#include "training/image/decoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace tacho {
namespace {

constexpr int kLongestSide = 65'535;

}  // namespace

Error damaged(std::string_view format, std::string_view why) {
  return {
      ErrorCode::invalid,
      fmt::format("damaged {}: {}; replace the file or remove it from the dataset", format, why)};
}

Result<void> check_size(ImageSize size, std::int64_t most_pixels) {
  if (size.width < 1 || size.height < 1) {
    return Error{ErrorCode::invalid,
                 fmt::format("an image of {} x {} pixels is empty", size.width, size.height)};
  }
  if (std::int64_t{size.width} * size.height > most_pixels) {
    return Error{
        ErrorCode::invalid,
        fmt::format("{} x {} pixels are more than the {} allowed; make the image smaller",
                    size.width, size.height, human_count(static_cast<double>(most_pixels)))};
  }
  if (std::max(size.width, size.height) > kLongestSide) {
    return Error{ErrorCode::invalid,
                 fmt::format("{} x {} pixels: no side may be longer than {}", size.width,
                             size.height, human_count(kLongestSide))};
  }
  return {};
}

}  // namespace tacho
