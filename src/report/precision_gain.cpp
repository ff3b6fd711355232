#include "report/precision_gain.h"

#include <array>

namespace tacho {
namespace {

struct SpeedUp {
  KernelClass kind;
  double low;
  double typical;
  double high;
};

// fp32 to bf16 by autocast. Products and convolutions gain what tensor cores are faster by, less
// what memory holds them up; the others read and write half the bytes. The optimizer stays fp32.
constexpr std::array kToBf16 = {
    SpeedUp{KernelClass::convolution, 2.5, 4.0, 6.0},
    SpeedUp{KernelClass::product, 3.0, 5.0, 8.0},
    SpeedUp{KernelClass::normalisation, 1.2, 1.7, 2.0},
    SpeedUp{KernelClass::elementwise, 1.2, 1.7, 2.0},
    SpeedUp{KernelClass::reduction, 1.0, 1.4, 2.0},
};

// What norms and elementwise kernels gain when a pixel's channels lie side by side, besides the
// layout changes that go away.
constexpr double kNormsGainByLayout = 0.2;

double saved(double seconds, double speed_up) { return seconds * (1 - 1 / speed_up); }

}  // namespace

PrecisionGain bf16_gain(const GpuFindings& gpu) {
  PrecisionGain gain;
  for (const ClassRow& row : gpu.classes) {
    const bool product = row.kind == KernelClass::convolution || row.kind == KernelClass::product;
    if (product) gain.product_share += row.share;
    const double seconds = row.seconds_a_step * (1 - row.tensor_core_share);
    for (const SpeedUp& factor : kToBf16) {
      if (factor.kind != row.kind) continue;
      gain.saved_s += saved(seconds, factor.typical);
      gain.range_s.low += saved(seconds, factor.low);
      gain.range_s.high += saved(seconds, factor.high);
    }
  }
  return gain;
}

LayoutGain channels_last_gain(const GpuFindings& gpu) {
  double beside = 0;
  for (const ClassRow& row : gpu.classes) {
    if (row.kind == KernelClass::normalisation || row.kind == KernelClass::elementwise)
      beside += row.seconds_a_step;
  }
  const double turning = gpu.signs.layout_change_s;
  return {.saved_s = turning + kNormsGainByLayout * beside,
          .range_s = {turning * 0.8, turning + 2 * kNormsGainByLayout * beside}};
}

}  // namespace tacho
