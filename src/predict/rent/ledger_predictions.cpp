#include "predict/rent/ledger_predictions.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/metric.h"
#include "predict/accuracy/curve_prediction.h"

namespace tacho {
namespace {

LedgerEntry entry_of(const RunOrder& order, const Metric& metric, const Estimate& range,
                     const std::string& basis, const PredictionContext& when) {
  return {.run_key = order.key,
          .metric = std::string(metric.key),
          .made_at = when.now,
          .model = order.spec.model,
          .data = order.spec.data,
          .machine = when.machine,
          .basis = basis,
          .predicted = range};
}

}  // namespace

std::vector<LedgerEntry> ledger_entries(const RunOrder& order, const OwnPrediction& prediction,
                                        const PredictionContext& when) {
  if (order.command) return {};
  std::vector<LedgerEntry> entries;
  const auto add = [&](const Metric& metric, const Estimate& range) {
    entries.push_back(entry_of(order, metric, range, prediction.basis, when));
  };
  add(metric::kStepS, prediction.step_seconds);
  if (prediction.memory_bytes) {
    add(order.spec.device == Device::cuda ? metric::kDeviceMemory : metric::kPeakMemory,
        *prediction.memory_bytes);
  }
  // A run with a target may end early, so its total time is not predicted.
  if (prediction.total_seconds && !order.spec.target_top1) {
    add(metric::kTotalS, *prediction.total_seconds);
  }
  return entries;
}

std::vector<LedgerEntry> ledger_entries(const RunOrder& order, const std::vector<Curve>& known,
                                        const PredictionContext& when) {
  const RunSpec& spec = order.spec;
  // A run that may end early has an unknown last epoch.
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
  const auto predicted = CurvePredictor(same).predict(begun, last);
  if (!predicted.ok()) return {};
  const CurvePrediction& one = predicted->front();
  return {entry_of(order, metric::kTop1, one.accuracy,
                   fmt::format("{} known {}", same.size(), same.size() == 1 ? "curve" : "curves"),
                   when)};
}

}  // namespace tacho
