#include "advise/foretell.h"

#include <fmt/format.h>

#include <algorithm>

#include "learn/forecast.h"
#include "record/metric.h"

namespace tacho {
namespace {

LedgerEntry entry_of(const RunOrder& order, const Metric& metric, const Range& range,
                     const std::string& basis, const Foretelling& when) {
  return {.run_key = order.key,
          .metric = std::string(metric.key),
          .made_at = when.now,
          .model = order.spec.model,
          .data = order.spec.data,
          .machine = when.machine,
          .basis = basis,
          .value = range.value,
          .low = range.low,
          .high = range.high};
}

}  // namespace

std::vector<LedgerEntry> foretell(const RunOrder& order, const OwnForecast& forecast,
                                  const Foretelling& when) {
  if (order.command) return {};
  std::vector<LedgerEntry> entries;
  const auto add = [&](const Metric& metric, const Range& range) {
    entries.push_back(entry_of(order, metric, range, forecast.basis, when));
  };
  add(metric::kStepS, forecast.step_seconds);
  if (forecast.memory_bytes) {
    add(order.spec.device == Device::cuda ? metric::kDeviceMemory : metric::kPeakMemory,
        *forecast.memory_bytes);
  }
  // A run that ends at a target ends nobody knows when.
  if (forecast.total_seconds && !order.spec.target_top1) {
    add(metric::kTotalS, *forecast.total_seconds);
  }
  return entries;
}

std::vector<LedgerEntry> foretell(const RunOrder& order, const std::vector<Curve>& known,
                                  const Foretelling& when) {
  const RunSpec& spec = order.spec;
  // A run that ends early ends at an accuracy nobody planned.
  if (order.command || spec.steps || spec.target_top1) return {};
  double most_samples = 0;
  std::vector<Curve> same;
  for (const Curve& curve : known) {
    if (curve.setting.model != spec.model || curve.setting.data != spec.data) continue;
    most_samples = std::max(most_samples, curve.setting.epoch_samples);
    same.push_back(curve);
  }
  if (same.empty()) return {};
  Curve begun;
  begun.setting = curve_setting(order);
  if (begun.setting.epoch_samples == 0) begun.setting.epoch_samples = most_samples;
  const std::vector<double> last = {begun.setting.planned_epochs};
  const auto foretold = CurveForecaster(same).forecast(begun, last);
  if (!foretold.ok()) return {};
  const Forecast& one = foretold->front();
  return {entry_of(order, metric::kTop1, {one.accuracy, one.low, one.high},
                   fmt::format("{} known {}", same.size(), same.size() == 1 ? "curve" : "curves"),
                   when)};
}

}  // namespace tacho
