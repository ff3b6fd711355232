#include "predict/rent/total_time.h"

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"

namespace tacho {
namespace {

constexpr double kLeastSpread = 0.04;  // of single runs, in logarithms
constexpr double kSpreadOfFew = 0.15;  // used for fewer than kEnoughRuns
constexpr std::size_t kEnoughRuns = 5;

struct RunTimeModel {
  double overhead;    // seconds of start-up and end
  double evaluation;  // seconds per epoch
  double slack;       // training time over number of steps times median step

  [[nodiscard]] double total(double step_seconds, double steps, double epochs) const {
    return overhead + evaluation * epochs + slack * steps * step_seconds;
  }
};

RunTimeModel run_time_model(const std::vector<TimeSpent>& past) {
  std::vector<double> overhead;
  std::vector<double> evaluation;
  std::vector<double> slack;
  for (const TimeSpent& one : past) {
    overhead.push_back(std::max(0.0, one.total_seconds - one.train_seconds - one.eval_seconds));
    evaluation.push_back(one.eval_seconds / one.epochs);
    slack.push_back(one.train_seconds / (one.steps * one.step_seconds));
  }
  return {median(overhead), median(evaluation), median(slack)};
}

}  // namespace

std::optional<TimeSpent> time_spent(const RunRecord& record) {
  if (record.outcome != Outcome::ok || record.order.command) return std::nullopt;
  if (record.started && record.started->attempt > 1) return std::nullopt;
  TimeSpent spent{.total_seconds = record.environment_seconds};
  if (!record.steps.seconds.empty()) spent.step_seconds = median(record.steps.steady_seconds());
  spent.steps = static_cast<double>(record.steps.seconds.size());
  spent.epochs = static_cast<double>(record.epochs.size());
  for (const EpochDone& epoch : record.epochs) {
    spent.train_seconds += epoch.train_seconds;
    spent.eval_seconds += epoch.eval_seconds;
  }
  const bool whole = spent.step_seconds > 0 && spent.epochs > 0 && spent.train_seconds > 0 &&
                     spent.total_seconds >= spent.train_seconds + spent.eval_seconds;
  return whole ? std::optional(spent) : std::nullopt;
}

Estimate total_time(const std::vector<TimeSpent>& past, const Estimate& step_seconds, double steps,
                    double epochs) {
  const RunTimeModel model = run_time_model(past);
  std::vector<double> off;
  for (const TimeSpent& one : past) {
    off.push_back(std::abs(
        std::log(model.total(one.step_seconds, one.steps, one.epochs) / one.total_seconds)));
  }
  const double spread = past.size() < kEnoughRuns
                            ? kSpreadOfFew
                            : std::max(kLeastSpread, quantile(off, 0.9) / kDeviations90);
  const double value = model.total(step_seconds.value, steps, epochs);
  const double low = model.total(step_seconds.low, steps, epochs);
  const double high = model.total(step_seconds.high, steps, epochs);
  const double below = std::hypot(std::log(value / low), kDeviations90 * spread);
  const double above = std::hypot(std::log(high / value), kDeviations90 * spread);
  return {value, value * std::exp(-below), value * std::exp(above)};
}

}  // namespace tacho
