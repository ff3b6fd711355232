#include "predict/accuracy/curve.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/run_options.h"

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

// Does not name the number of epochs and the batch, which are printed anyway.
std::string recipe_options(const RunSpec& spec) {
  const auto plain = train_request({{"model", spec.model}, {"data", spec.data}});
  const auto usual =
      train_request({{"model", spec.model},
                     {"data", spec.data},
                     {"optimizer", std::string(kOptimizers.of(spec.optimizer.kind))}});
  // A model or dataset of another version has no defaults to compare with.
  if (!plain.ok() || !usual.ok()) return "";
  TrainRequest used;
  used.spec = spec;
  std::string text;
  for (const RunOption& option : run_options()) {
    if (!option.is(kRecipe)) continue;
    const Json value = option.get(used);
    // Choosing another optimizer changes the defaults of its parameters.
    const TrainRequest& defaults = option.name == "optimizer" ? *plain : *usual;
    if (value.is_null() || value == option.get(defaults)) continue;
    text += fmt::format("{}--{}", text.empty() ? "" : " ", option.name);
    if (option.type != OptionType::flag) text += " " + plain_text(value);
  }
  return text;
}

}  // namespace

Curve Curve::first(std::size_t points) const {
  Curve part = *this;
  part.epochs.resize(std::min(points, epochs.size()));
  part.accuracy.resize(part.epochs.size());
  if (!loss.empty()) part.loss.resize(part.epochs.size());
  return part;
}

std::string recipe_with_rate(const CurveSetting& setting) {
  if (!setting.learning_rate) return setting.recipe;
  return fmt::format("{} {}", setting.recipe, *setting.learning_rate);
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
          .planned_epochs = static_cast<double>(spec.epochs),
          .options = recipe_options(spec)};
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
    curve.loss.push_back(epoch.eval_loss);
  }
  if (record.input->eval_samples > 0) {
    curve.eval_samples = static_cast<double>(record.input->eval_samples);
  }
  curve.source = record.order.key;
  curve.own = true;
  return curve;
}

}  // namespace tacho
