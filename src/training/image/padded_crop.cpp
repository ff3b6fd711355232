#include "training/image/padded_crop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/random.h"
#include "training/image/row_loops.h"

namespace tacho {
namespace {

// The shift of the image, in pixels, and the flip after it.
struct Shift {
  int down = 0;
  int right = 0;
  bool flipped = false;
};

Shift choose_shift(const PaddedCrop& augmentation, std::uint64_t seed) {
  Random random = Random::scattered(seed);
  const auto draw = [&] {
    return static_cast<int>(random.below(2 * augmentation.padding + 1)) - augmentation.padding;
  };
  Shift shift;
  shift.down = draw();
  shift.right = draw();
  shift.flipped = augmentation.may_flip && random.below(2) == 1;
  return shift;
}

// Writes row `y` of one channel after the shift, with black outside the image.
void shifted_row(const std::uint8_t* channel, const PlanarImage& image, const Shift& shift, int y,
                 float* out) {
  const int source = y - shift.down;
  std::fill_n(out, image.width, 0.0F);
  if (source < 0 || source >= image.height) return;
  const std::uint8_t* row = channel + std::int64_t{source} * image.width;
  const int first = std::max(shift.right, 0);
  const int end = std::min(image.width + shift.right, image.width);
  for (int x = first; x < end; ++x) out[x] = row[x - shift.right];
  if (shift.flipped) std::reverse(out, out + image.width);
}

}  // namespace

Result<void> place_image(const PlanarImage& image, const PaddedCrop& augmentation,
                         std::uint64_t seed, const Normalisation& normalisation,
                         const PixelTarget& target) {
  TACHO_CHECK(check(target));
  if (image.channels != target.channels || image.height != target.height ||
      image.width != target.width || image.pixels == nullptr || augmentation.padding < 0) {
    return Error{
        ErrorCode::usage,
        fmt::format("an image of {} x {} x {} values does not fit a sample of {} x {} x {}",
                    image.channels, image.height, image.width, target.channels, target.height,
                    target.width)};
  }
  const Levels levels(normalisation);
  const Shift shift = choose_shift(augmentation, seed);
  const auto width = static_cast<std::size_t>(image.width);
  const auto plane = width * static_cast<std::size_t>(image.height);
  std::vector<float> rows(3 * width);
  const std::array<const float*, 3> channels = {rows.data(), rows.data() + width,
                                                rows.data() + 2 * width};
  for (int y = 0; y < image.height; ++y) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(image.channels); ++c) {
      shifted_row(image.pixels + c * plane, image, shift, y, rows.data() + c * width);
    }
    store_row(channels, levels, target, y);
  }
  return {};
}

}  // namespace tacho
