#include "training/image/random_erasing.h"

#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/random.h"

namespace tacho {
namespace {

constexpr double kLeastArea = 0.02;
constexpr double kMostArea = 0.33;
constexpr double kLeastRatio = 0.3;
constexpr double kMostRatio = 3.3;
constexpr int kAttempts = 10;

}  // namespace

ErasedPart choose_erased_part(double probability, int height, int width, std::uint64_t seed) {
  Random random = Random::scattered(seed + 2);  // not the numbers of the operation and the shift
  if (random.between(0, 1) >= probability) return {};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double area = random.between(kLeastArea, kMostArea) * height * width;
    const double ratio = std::exp(random.between(std::log(kLeastRatio), std::log(kMostRatio)));
    const auto down = static_cast<int>(std::lround(std::sqrt(area * ratio)));
    const auto across = static_cast<int>(std::lround(std::sqrt(area / ratio)));
    if (down >= height || across >= width) continue;
    ErasedPart part{.width = across, .height = down};
    part.y = static_cast<int>(random.below(height - down + 1));
    part.x = static_cast<int>(random.below(width - across + 1));
    return part;
  }
  return {};
}

void erase(const ErasedPart& part, const PixelTarget& target) {
  const bool interleaved = target.layout == PixelLayout::interleaved;
  const std::size_t bytes = target.type == PixelType::f32 ? 4 : 2;  // 0 is all zero bits in both
  const std::size_t pixel = bytes * static_cast<std::size_t>(interleaved ? target.channels : 1);
  const std::size_t row = pixel * static_cast<std::size_t>(target.width);
  const std::size_t plane = row * static_cast<std::size_t>(target.height);
  auto* first = static_cast<std::byte*>(target.pixels) + row * static_cast<std::size_t>(part.y) +
                pixel * static_cast<std::size_t>(part.x);
  for (int c = 0; c < (interleaved ? 1 : target.channels); ++c, first += plane) {
    std::byte* at = first;
    for (int y = 0; y < part.height; ++y, at += row) {
      std::memset(at, 0, pixel * static_cast<std::size_t>(part.width));
    }
  }
}

}  // namespace tacho
