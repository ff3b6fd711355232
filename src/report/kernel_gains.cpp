#include "report/kernel_gains.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

namespace tacho {
namespace {

struct SpeedUp {
  double low;
  double typical;
  double high;
};

bool is_product(KernelClass kind) {
  return kind == KernelClass::convolution || kind == KernelClass::product;
}

// Products gain less than the data sheet's ratio of peaks, since memory begins to bind them. On an
// H200 (a ratio of 15) the convolutions of ResNet-50 in NHWC gain 10 times, of which the layout
// changes that go away are a part.
SpeedUp product_speed_up(const GpuCeilings* ceilings) {
  constexpr double kUnknown = 8;
  const double sixteen_bit =
      ceilings == nullptr ? 0 : std::max(ceilings->bf16_flops, ceilings->fp16_flops);
  const double ratio = sixteen_bit > 0 ? sixteen_bit / ceilings->fp32_flops : kUnknown;
  return {std::pow(ratio, 0.4), std::pow(ratio, 0.67), std::pow(ratio, 0.85)};
}

// What is bound by memory reads and writes half the bytes, but norms keep fp32 inside; the
// optimizer stays fp32 altogether.
SpeedUp speed_up_of(KernelClass kind, const GpuCeilings* ceilings) {
  switch (kind) {
    case KernelClass::convolution:
    case KernelClass::product:
      return product_speed_up(ceilings);
    case KernelClass::normalisation:
      return {1.0, 1.1, 1.8};
    case KernelClass::elementwise:
      return {1.2, 1.7, 2.0};
    case KernelClass::reduction:
      return {1.0, 1.4, 2.0};
    case KernelClass::copy:
    case KernelClass::communication:
    case KernelClass::optimizer:
    case KernelClass::other:
      break;
  }
  return {1, 1, 1};
}

double saved(double seconds, double speed_up) { return seconds * (1 - 1 / speed_up); }

std::string lower(std::string_view text) {
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return low;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Batch norms over planes: 2.4 times as slow as over channels side by side, by ResNet-50 in bf16
// on an H200.
double plane_norm_seconds(const GpuFindings& gpu) {
  double seconds = 0;
  for (const KernelRow& row : gpu.tables.kernels) {
    const std::string name = lower(row.time.name);
    const bool batch_norm = has(name, "batch_norm") || has(name, "batchnorm") || has(name, "bn_");
    if (row.kind == KernelClass::normalisation && batch_norm && !has(name, "channels_last") &&
        !has(name, "nhwc"))
      seconds += row.seconds_a_step;
  }
  return seconds;
}

}  // namespace

double plain_product_share(const GpuFindings& gpu) {
  double share = 0;
  for (const ClassRow& row : gpu.classes) {
    if (is_product(row.kind)) share += row.share * (1 - row.tensor_core_share);
  }
  return share;
}

bool turns_from_nchw(const GpuFindings& gpu) {
  // Of a convolution's three tensors two are turned before it and one is turned back.
  double forth = 0;
  double back = 0;
  for (const KernelRow& row : gpu.tables.kernels) {
    const std::string name = lower(row.time.name);
    if (has(name, "nchwtonhwc") || has(name, "nchw2nhwc")) forth += row.count_a_step;
    if (has(name, "nhwctonchw") || has(name, "nhwc2nchw")) back += row.count_a_step;
  }
  return forth >= back;
}

KernelGain sixteen_bit_gain(const GpuFindings& gpu, const GpuCeilings* ceilings) {
  KernelGain gain;
  for (const ClassRow& row : gpu.classes) {
    const double seconds = row.seconds_a_step * (1 - row.tensor_core_share);
    const SpeedUp factor = speed_up_of(row.kind, ceilings);
    gain.seconds += saved(seconds, factor.typical);
    gain.range.low += saved(seconds, factor.low);
    gain.range.high += saved(seconds, factor.high);
  }
  // There is hardly an fp32 convolution for NHWC, but 16-bit ones want nothing else.
  if (!turns_from_nchw(gpu)) {
    gain.seconds += 0.8 * gpu.signs.layout_change_s;
    gain.range.high += gpu.signs.layout_change_s;
  }
  return gain;
}

KernelGain channels_last_gain(const GpuFindings& gpu) {
  const double turning = gpu.signs.layout_change_s;
  const double norms = plane_norm_seconds(gpu);
  return {.seconds = turning + 0.55 * norms, .range = {0.8 * turning, turning + 0.65 * norms}};
}

}  // namespace tacho
