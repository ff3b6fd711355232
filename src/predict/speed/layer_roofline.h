#pragma once

#include "base/enum_array.h"
#include "base/names.h"
#include "predict/speed/cost_model.h"
#include "predict/speed/own_layers.h"

namespace tacho {

// What the roofline of a layer is made of. Learned from runs, see fit_own_speed.h.
enum class Rate : std::uint8_t {
  half,  // shares of the peaks, for wide layers
  tf32,
  fp32,
  lstm,      // … of which recurrent products reach this share
  products,  // shares of the bandwidth; above 1 where kernels are fused or caches help
  elementwise,
  depthwise,
  attention,
  optimizer,
  overlap,      // exponent that joins arithmetic and traffic: 1 none, infinity complete
  joining,      // … that joins this and launches; 1: one after the other
  conv_launch,  // seconds per layer, forward and backward
  linear_launch,
  other_launch,
  step_launch,  // seconds per step
  conv_inputs,  // channels that a narrow convolution is padded by
  conv_outputs,
  linear_width,  // the same of linear layers
};
inline constexpr std::size_t kRates = 18;
inline constexpr Names<Rate, kRates> kRateNames{"rate",
                                                {{{Rate::half, "half"},
                                                  {Rate::tf32, "tf32"},
                                                  {Rate::fp32, "fp32"},
                                                  {Rate::lstm, "lstm"},
                                                  {Rate::products, "products"},
                                                  {Rate::elementwise, "elementwise"},
                                                  {Rate::depthwise, "depthwise"},
                                                  {Rate::attention, "attention"},
                                                  {Rate::optimizer, "optimizer"},
                                                  {Rate::overlap, "overlap"},
                                                  {Rate::joining, "joining"},
                                                  {Rate::conv_launch, "conv_launch"},
                                                  {Rate::linear_launch, "linear_launch"},
                                                  {Rate::other_launch, "other_launch"},
                                                  {Rate::step_launch, "step_launch"},
                                                  {Rate::conv_inputs, "conv_inputs"},
                                                  {Rate::conv_outputs, "conv_outputs"},
                                                  {Rate::linear_width, "linear_width"}}}};
using RooflineRates = EnumArray<Rate, double, kRates>;

// Seconds of a step on one GPU by what limits them; they add up to the step.
struct RooflineParts {
  double arithmetic = 0;
  double traffic = 0;
  double optimizer = 0;
  double launch = 0;
  [[nodiscard]] double total() const { return arithmetic + traffic + optimizer + launch; }
};

// Decreases with every rate of the GPU, increases with the batch.
RooflineParts roofline_step(const OwnNetwork& network, double batch, NumberFormat format,
                            const GpuSpec& gpu, const RooflineRates& rates);

// No step is faster: all multiply-adds at the peak, and the optimizer's traffic, as far as no cache
// can hold it, at the full bandwidth.
double shortest_step(const OwnNetwork& network, double batch, NumberFormat format,
                     const GpuSpec& gpu);

bool is_half(NumberFormat format);

}  // namespace tacho
