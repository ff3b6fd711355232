#include "training/image/planes.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

SampleRange covered(double first, double length, double samples, int count) {
  // Far below the weight of a sample, far above rounding errors.
  constexpr double kHair = 1e-6;
  const int from = static_cast<int>(std::floor(first * samples + kHair));
  const int to = static_cast<int>(std::ceil((first + length) * samples - kHair)) - 1;
  const int lower = std::clamp(from, 0, count - 1);
  return {lower, std::clamp(to, lower, count - 1)};
}

}  // namespace

SampleRange Plane::columns_of(const Crop& crop) const {
  return covered(crop.x, crop.width, samples_across, width);
}

SampleRange Plane::rows_of(const Crop& crop) const {
  return covered(crop.y, crop.height, samples_down, height);
}

void Plane::make_room(int first, int rows, std::size_t row_bytes) {
  first_row = first;
  pitch = row_bytes;
  const std::size_t needed = static_cast<std::size_t>(rows) * pitch + kSlack;
  // Never shrinks: growing again would fill with zeros what is about to be overwritten.
  if (samples.size() < needed) samples.resize(needed);
}

void Planes::release_memory_above(std::size_t bytes) {
  for (Plane& plane : planes) {
    if (plane.samples.size() > bytes) plane.samples = {};
  }
}

}  // namespace tacho
