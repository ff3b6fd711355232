#include "predict/accuracy/target.h"

#include <fmt/format.h>

#include <cmath>

#include "base/parse_number.h"

namespace tacho {

Result<Target> read_target(std::string_view text) {
  Target target;
  std::string_view number = text;
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
    const auto metric = kTargetMetrics.parse(text.substr(0, equals));
    if (!metric.ok()) {
      return Error{ErrorCode::usage,
                   fmt::format("--target: '{}' is not a target; give an accuracy such as top1=0.75 "
                               "or a loss such as loss=0.3",
                               text)};
    }
    target.metric = *metric;
    number = text.substr(equals + 1);
  }
  const auto value = parse_number<double>(number);
  const bool is_accuracy = target.metric == TargetMetric::top1;
  if (!value || !(*value > 0) || !std::isfinite(*value) || (is_accuracy && *value >= 1)) {
    return Error{
        ErrorCode::usage,
        is_accuracy
            ? fmt::format("--target: '{}' is not a valid accuracy; give one between 0 and 1, such "
                          "as top1=0.75",
                          text)
            : fmt::format("--target: '{}' is not a valid loss; give one above 0, such as loss=0.3",
                          text)};
  }
  target.value = *value;
  return target;
}

double quality_of(const Target& target) {
  return target.metric == TargetMetric::loss ? std::exp(-target.value) : target.value;
}

double value_of(double quality, TargetMetric metric) {
  return metric == TargetMetric::loss ? -std::log(quality) : quality;
}

std::string target_text(const Target& target) {
  return fmt::format("{}{:.4g}", target.metric == TargetMetric::loss ? "a loss of " : "",
                     target.value);
}

}  // namespace tacho
