#include "advise/foretell.h"

#include <fmt/format.h>

#include <algorithm>

#include "learn/forecast.h"
#include "record/metric.h"

namespace tacho {

std::vector<LedgerEntry> foretell(const RunOrder& order, const std::vector<Curve>& known,
                                  const std::string& machine, double now) {
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
  return {{.run_key = order.key,
           .metric = std::string(metric::kTop1.key),
           .made_at = now,
           .model = spec.model,
           .data = spec.data,
           .machine = machine,
           .basis = fmt::format("{} known {}", same.size(), same.size() == 1 ? "curve" : "curves"),
           .value = one.accuracy,
           .low = one.low,
           .high = one.high}};
}

}  // namespace tacho
