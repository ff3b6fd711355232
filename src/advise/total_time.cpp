#include "advise/total_time.h"

#include <algorithm>
#include <cmath>

#include "record/statistics.h"

namespace tacho {
namespace {

constexpr double kLeastSpread = 0.04;  // of single runs, in logarithms
constexpr double kSpreadOfFew = 0.15;  // where too few are known to tell
constexpr std::size_t kEnoughRuns = 5;

struct Habits {
  double beside;      // seconds of start-up and end
  double evaluation;  // seconds an epoch
  double slack;       // training time over steps times their median

  [[nodiscard]] double total(double step_seconds, double steps, double epochs) const {
    return beside + evaluation * epochs + slack * steps * step_seconds;
  }
};

Habits habits_of(const std::vector<TimeSpent>& past) {
  std::vector<double> beside;
  std::vector<double> evaluation;
  std::vector<double> slack;
  for (const TimeSpent& one : past) {
    beside.push_back(std::max(0.0, one.total_seconds - one.train_seconds - one.eval_seconds));
    evaluation.push_back(one.eval_seconds / one.epochs);
    slack.push_back(one.train_seconds / (one.steps * one.step_seconds));
  }
  return {median(beside), median(evaluation), median(slack)};
}

}  // namespace

std::optional<TimeSpent> time_spent(const RunRecord& record) {
  if (record.outcome != Outcome::ok || record.order.command) return std::nullopt;
  if (record.started && record.started->attempt > 1) return std::nullopt;
  TimeSpent spent{.total_seconds = record.stays_seconds};
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

Range total_time(const std::vector<TimeSpent>& past, const Range& step_seconds, double steps,
                 double epochs) {
  const Habits habits = habits_of(past);
  std::vector<double> off;
  for (const TimeSpent& one : past) {
    off.push_back(std::abs(
        std::log(habits.total(one.step_seconds, one.steps, one.epochs) / one.total_seconds)));
  }
  const double spread = past.size() < kEnoughRuns
                            ? kSpreadOfFew
                            : std::max(kLeastSpread, quantile(off, 0.9) / kNineOfTen);
  const double value = habits.total(step_seconds.value, steps, epochs);
  const double low = habits.total(step_seconds.low, steps, epochs);
  const double high = habits.total(step_seconds.high, steps, epochs);
  const double below = std::hypot(std::log(value / low), kNineOfTen * spread);
  const double above = std::hypot(std::log(high / value), kNineOfTen * spread);
  return {value, value * std::exp(-below), value * std::exp(above)};
}

}  // namespace tacho
