#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/table.h"
#include "cli/commands.h"
#include "experiments/predictions/known_curves.h"
#include "predict/accuracy/curve_catalog.h"
#include "predict/accuracy/curve_prediction.h"
#include "predict/accuracy/evaluate_curves.h"
#include "predict/accuracy/evaluate_times.h"
#include "predict/accuracy/evaluate_transfer.h"

namespace tacho {
namespace {

struct CurveOptions {
  std::string run;
  std::optional<double> epochs;
  std::optional<double> target;
  std::optional<std::int64_t> seen;
  bool evaluate = false;
  bool json = false;
};

constexpr std::size_t kCurvesKnown = 200;

std::vector<Curve> with_published(std::vector<Curve> curves) {
  for (Curve& curve : published_curves()) curves.push_back(std::move(curve));
  return curves;
}

// Returns up to twelve epochs between the last one seen and the end.
std::vector<double> epochs_ahead(double seen, double last) {
  const double steps = std::min(12.0, last - seen);
  std::vector<double> epochs;
  for (int i = 1; i <= static_cast<int>(steps); ++i) {
    epochs.push_back(std::round(seen + (last - seen) * i / steps));
  }
  return epochs;
}

Json to_json(const std::vector<CurvePrediction>& predictions) {
  Json list = Json::array();
  for (const CurvePrediction& one : predictions) {
    list.push_back({{"epoch", one.epoch},
                    {"accuracy", one.accuracy.value},
                    {"low90", one.accuracy.low},
                    {"high90", one.accuracy.high}});
  }
  return list;
}

std::string when_reached(double target, const std::vector<CurvePrediction>& predictions) {
  const auto first = [&](double Estimate::*bound) {
    const auto at = std::ranges::find_if(
        predictions, [&](const CurvePrediction& one) { return one.accuracy.*bound >= target; });
    return at == predictions.end() ? std::string("after the end") : fmt::format("{}", at->epoch);
  };
  return fmt::format("{} is reached at epoch {}; at the earliest {}, at the latest {}\n", target,
                     first(&Estimate::value), first(&Estimate::high), first(&Estimate::low));
}

Result<int> predict_run(const CurveOptions& o, const Context& context) {
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(run, store.find(o.run));
  auto curve = curve_of(run.record);
  if (!curve) {
    return Error{
        ErrorCode::usage,
        fmt::format("run {} has no evaluated epoch, which a learning curve needs", run.row.id)};
  }
  if (o.seen && *o.seen < 0) return Error{ErrorCode::usage, "--seen must not be negative"};
  const Curve begun = o.seen ? curve->first(static_cast<std::size_t>(*o.seen)) : *curve;
  const double seen = begun.epochs.empty() ? 0 : begun.epochs.back();
  const double last = o.epochs.value_or(begun.setting.planned_epochs);
  if (!(last >= seen + 1 && last <= 1e6)) {
    return Error{ErrorCode::usage,
                 fmt::format("{} epochs are done already; give a later one with --epochs", seen)};
  }
  TACHO_TRY(own, own_curves(store, begun.setting.model, begun.setting.data, kCurvesKnown));
  std::vector<double> ahead = epochs_ahead(seen, last);
  if (o.target) {
    ahead.clear();
    for (double epoch = seen + 1; epoch <= last && ahead.size() < 2000; ++epoch) {
      ahead.push_back(epoch);
    }
  }
  TACHO_TRY(predictions, CurvePredictor(with_published(own)).predict(begun, ahead));
  if (o.json) {
    context.print(json_text(to_json(predictions), 1) + "\n");
    return kSuccess;
  }
  if (o.target) {
    context.print(when_reached(*o.target, predictions));
    return kSuccess;
  }
  Table table({{"epoch"}, {"top-1"}, {"90 % interval", Align::left}});
  for (const CurvePrediction& one : predictions) {
    table.add({fmt::format("{}", one.epoch), fmt::format("{:.1f} %", 100 * one.accuracy.value),
               fmt::format("{:.1f} to {:.1f} %", 100 * one.accuracy.low, 100 * one.accuracy.high)});
  }
  context.print(table.text(context.out));
  return kSuccess;
}

Result<int> evaluate_predictions(const CurveOptions& o, const Context& context) {
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(own, own_curves(store, "", "", kCurvesKnown));
  const auto curves = evaluate_curves(with_published(own));
  const auto times = evaluate_times(published_time_records());
  const auto transfers = evaluate_transfer(shipped_curves());
  if (o.json) {
    context.print(json_text({{"curves", to_json(curves)},
                             {"times", to_json(times)},
                             {"other_models", to_json(transfers)},
                             {"best_constants", best_constants(with_published(own))}},
                            1) +
                  "\n");
    return kSuccess;
  }
  Table table({{"accuracy from a quarter", Align::left},
               {"curves"},
               {"mean error"},
               {"rms"},
               {"last epoch"},
               {"coverage"},
               {"abstained"}});
  for (const CurveScore& score : curves) {
    table.add({score.group, std::to_string(score.curves), fmt::format("{:.4f}", score.mean_error),
               fmt::format("{:.4f}", score.root_mean_square),
               fmt::format("{:.4f}", score.final_error),
               fmt::format("{:.1f} %", 100 * score.coverage), std::to_string(score.refused)});
  }
  context.print(table.text(context.out) + "\n");
  Table hours({{"time to accuracy", Align::left},
               {"split", Align::left},
               {"trainings"},
               {"median error"},
               {"mean error"},
               {"coverage"}});
  for (const TimeScore& score : times) {
    hours.add({score.task, score.split, std::to_string(score.records),
               fmt::format("{:.1f} %", 100 * score.median_error),
               fmt::format("{:.1f} %", 100 * score.mean_error),
               fmt::format("{:.1f} %", 100 * score.coverage)});
  }
  context.print(hours.text(context.out) + "\n");
  Table epochs(
      {{"epochs from other models", Align::left}, {"models"}, {"median factor"}, {"coverage"}});
  for (const TransferScore& score : transfers) {
    epochs.add({score.data, std::to_string(score.models),
                fmt::format("{:.2f}", score.median_factor),
                fmt::format("{:.1f} %", 100 * score.coverage)});
  }
  context.print(epochs.text(context.out));
  return kSuccess;
}

}  // namespace

void add_curve_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("curve", "predict the learning curve of a run");
  auto o = std::make_shared<CurveOptions>();
  auto* run = command->add_option("run", o->run, "id or key of a run, or 'last'");
  command->add_option("--epochs", o->epochs, "last epoch to predict (default: the run's last)");
  command->add_option("--target", o->target, "print when this accuracy is reached, 0 to 1");
  command->add_option("--seen", o->seen, "use only the first N epochs of the run");
  auto* evaluates = command->add_flag("--evaluate", o->evaluate,
                                      "cross-validate predictions, leaving out whole systems");
  evaluates->excludes(run);
  command->add_flag("--json", o->json, "print JSON");
  command->callback([=, &context] {
    context.run([&]() -> Result<int> {
      if (o->evaluate) return evaluate_predictions(*o, context);
      if (o->run.empty()) {
        return Error{ErrorCode::usage, "give a run, as in 'tacho curve last', or --evaluate"};
      }
      return predict_run(*o, context);
    });
  });
}

}  // namespace tacho
