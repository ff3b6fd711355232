#include "predict/accuracy/curve.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacho {
namespace {

std::string recipe_of(const RunSpec& spec) {
  std::string recipe(kOptimizers.of(spec.optimizer.kind));
  if (spec.schedule.kind != ScheduleKind::constant) {
    recipe += fmt::format(" {}", kSchedules.of(spec.schedule.kind));
  }
  if (!spec.weights.empty()) recipe += " pretrained";
  return recipe;
}

}  // namespace

Curve Curve::first(std::size_t points) const {
  Curve part = *this;
  part.epochs.resize(std::min(points, epochs.size()));
  part.accuracy.resize(part.epochs.size());
  return part;
}

bool same_task(const CurveSetting& a, const CurveSetting& b) {
  return a.model == b.model && a.data == b.data;
}

CurveSetting curve_setting(const RunOrder& order) {
  const RunSpec& spec = order.spec;
  const auto step = static_cast<double>(spec.batch) * static_cast<double>(spec.dist.ranks()) *
                    static_cast<double>(spec.accumulate);
  return {.model = spec.model,
          .data = spec.data,
          .recipe = recipe_of(spec),
          .system = order.key,
          .decays = spec.schedule.kind != ScheduleKind::constant,
          .batch = step,
          .learning_rate = spec.optimizer.learning_rate,
          .epoch_samples = static_cast<double>(spec.train_samples.value_or(0)),
          .planned_epochs = static_cast<double>(spec.epochs)};
}

std::optional<Curve> curve_of(const RunRecord& record) {
  const RunSpec& spec = record.order.spec;
  if (record.order.command || record.epochs.empty() || !record.input || spec.data == "synthetic") {
    return std::nullopt;
  }
  Curve curve;
  curve.setting = curve_setting(record.order);
  curve.setting.epoch_samples = static_cast<double>(record.input->train_samples);
  for (const EpochDone& epoch : record.epochs) {
    curve.epochs.push_back(static_cast<double>(epoch.epoch));
    curve.accuracy.push_back(epoch.top1);
  }
  if (record.input->eval_samples > 0) {
    curve.eval_samples = static_cast<double>(record.input->eval_samples);
  }
  curve.source = record.order.key;
  curve.own = true;
  return curve;
}

}  // namespace tacho
