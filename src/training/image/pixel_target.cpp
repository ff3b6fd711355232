#include "training/image/pixel_target.h"

#include <fmt/format.h>

namespace tacho {
namespace {

constexpr int kLongestTargetSide = 16'384;

}  // namespace

Result<void> check(const PixelTarget& target) {
  if (target.channels != 1 && target.channels != 3) {
    return Error{ErrorCode::usage,
                 fmt::format("images of {} channels are not supported: use 1 (grey) "
                             "or 3 (red, green, blue)",
                             target.channels)};
  }
  if (target.height < 1 || target.width < 1 || target.height > kLongestTargetSide ||
      target.width > kLongestTargetSide) {
    return Error{
        ErrorCode::usage,
        fmt::format("images of {} x {} pixels are not supported: each side must be 1 to {}",
                    target.width, target.height, kLongestTargetSide)};
  }
  if (target.pixels == nullptr) return Error{ErrorCode::usage, "the image target has no memory"};
  return {};
}

}  // namespace tacho
