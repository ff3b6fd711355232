#pragma once

#include <string>
#include <string_view>

#include "base/names.h"
#include "base/result.h"

namespace tacho {

// What a training should reach. A loss is that of the evaluation.
enum class TargetMetric { top1, loss };
inline constexpr Names<TargetMetric, 2> kTargetMetrics{
    "metric", {{{TargetMetric::top1, "top1"}, {TargetMetric::loss, "loss"}}}};

struct Target {
  double value = 0;
  TargetMetric metric = TargetMetric::top1;
};

// Reads "top1=0.75", "loss=0.3", or the accuracy alone.
Result<Target> read_target(std::string_view text);

// A quality between 0 and 1 that rises during a training: the accuracy, or exp(-loss), the
// probability of the right class if it is the same for all samples.
double quality_of(const Target& target);
double value_of(double quality, TargetMetric metric);

// "0.75", "a loss of 0.3"
std::string target_text(const Target& target);

}  // namespace tacho
