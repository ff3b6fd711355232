#include "predict/speed/layer_roofline.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// Larger than the second-level cache of every GPU in the catalog.
constexpr double kLargestCacheBytes = 128e6;

Rate peak_share(NumberFormat format) {
  if (is_half(format)) return Rate::half;
  return format == NumberFormat::tf32 ? Rate::tf32 : Rate::fp32;
}

// Factor for the work of a layer that is too narrow for a matrix unit's tiles.
double padding(const LayerCost& layer, const RooflineRates& rates) {
  const auto padded = [](double width, double by) { return (width + by) / std::max(width, 1.0); };
  switch (layer.kind) {
    case LayerKind::convolution:
      return padded(layer.inputs, rates[Rate::conv_inputs]) *
             padded(layer.outputs, rates[Rate::conv_outputs]);
    case LayerKind::linear:
      return padded(layer.inputs, rates[Rate::linear_width]) *
             padded(layer.outputs, rates[Rate::linear_width]);
    default:
      return 1;
  }
}

Rate bandwidth_share(LayerKind kind) {
  switch (kind) {
    case LayerKind::depthwise:
      return Rate::depthwise;
    case LayerKind::attention:
      return Rate::attention;
    case LayerKind::other:
      return Rate::elementwise;
    case LayerKind::convolution:
    case LayerKind::linear:
    case LayerKind::lstm:
      break;
  }
  return Rate::products;
}

Rate launch_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::convolution:
    case LayerKind::depthwise:
      return Rate::conv_launch;
    case LayerKind::other:
      return Rate::other_launch;
    case LayerKind::linear:
    case LayerKind::attention:
    case LayerKind::lstm:
      break;
  }
  return Rate::linear_launch;
}

struct Joined {
  double seconds;
  double of_first;  // share
};

// Two limits of one layer, which exponent 1 puts one after the other and infinity at the same time.
Joined joined(double first, double second, double exponent) {
  const double top = std::max(first, second);
  if (!(top > 0)) return {0, 0};
  const double a = std::pow(first / top, exponent);
  const double b = std::pow(second / top, exponent);
  return {top * std::pow(a + b, 1 / exponent), a / (a + b)};
}

}  // namespace

bool is_half(NumberFormat format) {
  return format == NumberFormat::half || format == NumberFormat::pure_half ||
         format == NumberFormat::fp8;
}

RooflineParts roofline_step(const OwnNetwork& network, double batch, NumberFormat format,
                            const GpuSpec& gpu, const RooflineRates& rates) {
  const double peak = peak_tflops(gpu, format) * 1e12 * rates[peak_share(format)];
  const double bandwidth = gpu.memory_gb_per_s * 1e9;
  const double width = is_half(format) ? 0.5 : 1;
  const bool tiles = format != NumberFormat::fp32;  // only matrix units are wasted by padding
  RooflineParts parts;
  for (const LayerCost& layer : network.layers) {
    double arithmetic = 0;
    // A depthwise convolution has so little arithmetic that its traffic hides it.
    if (layer.gmacs > 0 && layer.kind != LayerKind::depthwise) {
      arithmetic = 2e9 * layer.gmacs * layer.passes * batch * (tiles ? padding(layer, rates) : 1) /
                   (peak * (layer.kind == LayerKind::lstm ? rates[Rate::lstm] : 1));
    }
    const double traffic = width * 1e6 * (layer.moved_fixed_mb + layer.moved_mb * batch) /
                           (bandwidth * rates[bandwidth_share(layer.kind)]);
    const double launch = layer.serial * rates[launch_of(layer.kind)];
    const auto [busy, of_arithmetic] = joined(arithmetic, traffic, rates[Rate::overlap]);
    const auto [seconds, of_busy] = joined(busy, launch, rates[Rate::joining]);
    const double whole = layer.count * seconds;
    parts.arithmetic += whole * of_busy * of_arithmetic;
    parts.traffic += whole * of_busy * (1 - of_arithmetic);
    parts.launch += whole * (1 - of_busy);
  }
  parts.launch += rates[Rate::step_launch];
  parts.optimizer = optimizer_bytes(network) / (bandwidth * rates[Rate::optimizer]);
  return parts;
}

double shortest_step(const OwnNetwork& network, double batch, NumberFormat format,
                     const GpuSpec& gpu) {
  double products = 0;
  for (const LayerCost& layer : network.layers) {
    products += layer.count * layer.gmacs * layer.passes;
  }
  const double arithmetic = 2e9 * products * batch / (peak_tflops(gpu, format) * 1e12);
  const double bytes = std::max(0.0, optimizer_bytes(network) - kLargestCacheBytes);
  return std::max(arithmetic, bytes / (gpu.memory_gb_per_s * 1e9));
}

}  // namespace tacho
