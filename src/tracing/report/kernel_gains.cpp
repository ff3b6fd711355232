#include "tracing/report/kernel_gains.h"

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

// Products gain less than the data sheet's ratio of peaks, since memory becomes the limit. On an
// H200 (a ratio of 15) the convolutions of ResNet-50 in NHWC become 10 times as fast, partly
// because layout conversions disappear.
SpeedUp product_speed_up(const GpuCeilings* ceilings) {
  constexpr double kUnknown = 8;
  const double sixteen_bit =
      ceilings == nullptr ? 0 : std::max(ceilings->bf16_flops, ceilings->fp16_flops);
  const double ratio = sixteen_bit > 0 ? sixteen_bit / ceilings->fp32_flops : kUnknown;
  return {std::pow(ratio, 0.4), std::pow(ratio, 0.67), std::pow(ratio, 0.85)};
}

// Kernels that are bound by memory move half the bytes, but norms compute in fp32; the optimizer
// stays entirely in fp32.
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

// Batch norms in NCHW, which take 2.4 times as long as in NHWC (ResNet-50 in bf16 on an H200).
double plane_norm_seconds(const GpuFindings& gpu) {
  double seconds = 0;
  for (const KernelRow& row : gpu.tables.kernels) {
    const std::string name = lower(row.time.name);
    const bool batch_norm = has(name, "batch_norm") || has(name, "batchnorm") || has(name, "bn_");
    if (row.kind == KernelClass::normalisation && batch_norm && !has(name, "channels_last") &&
        !has(name, "nhwc"))
      seconds += row.seconds_per_step;
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

bool converts_from_nchw(const GpuFindings& gpu) {
  // A convolution converts two of its three tensors before it and one after it.
  double to_nhwc = 0;
  double to_nchw = 0;
  for (const KernelRow& row : gpu.tables.kernels) {
    const std::string name = lower(row.time.name);
    if (has(name, "nchwtonhwc") || has(name, "nchw2nhwc")) to_nhwc += row.count_per_step;
    if (has(name, "nhwctonchw") || has(name, "nhwc2nchw")) to_nchw += row.count_per_step;
  }
  return to_nhwc >= to_nchw;
}

KernelGain sixteen_bit_gain(const GpuFindings& gpu, const GpuCeilings* ceilings) {
  KernelGain gain;
  for (const ClassRow& row : gpu.classes) {
    const double seconds = row.seconds_per_step * (1 - row.tensor_core_share);
    const SpeedUp factor = speed_up_of(row.kind, ceilings);
    gain.seconds += saved(seconds, factor.typical);
    gain.range.low += saved(seconds, factor.low);
    gain.range.high += saved(seconds, factor.high);
  }
  // cuDNN has hardly any fp32 convolutions for NHWC, but its 16-bit ones require it.
  if (!converts_from_nchw(gpu)) {
    gain.seconds += 0.8 * gpu.signs.layout_change_s;
    gain.range.high += gpu.signs.layout_change_s;
  }
  return gain;
}

KernelGain channels_last_gain(const GpuFindings& gpu) {
  const double conversions = gpu.signs.layout_change_s;
  const double norms = plane_norm_seconds(gpu);
  return {.seconds = conversions + 0.55 * norms,
          .range = {0.8 * conversions, conversions + 0.65 * norms}};
}

}  // namespace tacho
