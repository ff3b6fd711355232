#include "training/image/taps.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// std::floor is a function call on CPUs without an instruction for it.
int floor_of(double value) {
  const int whole = static_cast<int>(value);
  return value < whole ? whole - 1 : whole;
}

int ceil_of(double value) { return -floor_of(-value); }

}  // namespace

void Taps::fill(int count, double offset, double step, SampleRange source, bool reversed) {
  const double reach = std::max(1.0, step);
  // Number of samples within the triangle, excluding its ends, limited to the existing ones.
  const int needed = std::min(ceil_of(2 * reach), source.last - source.first + 1);
  outputs = count;
  groups = (needed + kGroup - 1) / kGroup;
  const int taps = groups * kGroup;
  const auto stride = static_cast<std::size_t>(count);
  first.resize(stride);
  shares.assign(static_cast<std::size_t>(taps) * stride, 0.0F);

  for (int i = 0; i < count; ++i) {
    const double centre = offset + (i + 0.5) * step - 0.5;  // sample k is at k
    const int from = std::clamp(floor_of(centre - reach) + 1, source.first, source.last);
    const int to =
        std::clamp(ceil_of(centre + reach) - 1, from, std::min(source.last, from + taps - 1));
    const auto share = [&](int k) { return std::max(reach - std::abs(k - centre), 0.0); };
    double sum = 0;
    for (int k = from; k <= to; ++k) sum += share(k);
    const double scale = 1 / sum;
    const auto place = static_cast<std::size_t>(reversed ? count - 1 - i : i);
    // At the end of the source, taps without a share come first, so that few are outside.
    const int start = std::max(source.first, std::min(from, source.last + 1 - taps));
    first[place] = start;
    for (int k = from; k <= to; ++k) {
      shares[static_cast<std::size_t>(k - start) * stride + place] =
          static_cast<float>(share(k) * scale);
    }
  }
}

}  // namespace tacho
