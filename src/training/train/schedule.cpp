#include "training/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tacho {
namespace {

double along_cosine(double from, double to, double share) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * std::clamp(share, 0.0, 1.0))) / 2;
}

double one_cycle(double peak, double warmup_steps, double step, double total) {
  constexpr double kStartDivisor = 25;
  constexpr double kEndDivisor = 1e4;
  const double start = peak / kStartDivisor;
  const double top = (warmup_steps > 0 ? warmup_steps : 0.3 * total) - 1;
  if (step < top) return along_cosine(start, peak, step / top);
  const double rest = std::max(total - 1 - top, 1e-9);  // avoids 0 for a run that ends at its peak
  return along_cosine(peak, start / kEndDivisor, (step - top) / rest);
}

// As Hugging Face's get_linear_schedule_with_warmup: 0 in the first step of a warm-up.
double linear(double peak, double warmup_steps, double step, double total) {
  if (step < warmup_steps) return peak * step / warmup_steps;
  return peak * std::max(0.0, (total - step) / std::max(1.0, total - warmup_steps));
}

// As torch's MultiStepLR.
double after_milestones(const ScheduleSpec& schedule, double base_rate, double epochs) {
  const auto passed = std::ranges::count_if(schedule.milestones, [epochs](std::int64_t epoch) {
    return static_cast<double>(epoch) <= epochs;
  });
  return base_rate * std::pow(schedule.step_factor, passed);
}

}  // namespace

double learning_rate_at(const ScheduleSpec& schedule, double base_rate, std::int64_t step,
                        std::int64_t steps_per_epoch, std::int64_t total_steps) {
  const auto at = static_cast<double>(step);
  const auto per_epoch = static_cast<double>(steps_per_epoch);
  const auto total = static_cast<double>(total_steps);
  const double warmup = schedule.warmup_steps ? static_cast<double>(*schedule.warmup_steps)
                                              : schedule.warmup_epochs * per_epoch;
  if (schedule.kind == ScheduleKind::one_cycle) return one_cycle(base_rate, warmup, at, total);
  if (schedule.kind == ScheduleKind::linear) return linear(base_rate, warmup, at, total);
  if (at < warmup) return base_rate * (at + 1) / warmup;
  switch (schedule.kind) {
    case ScheduleKind::step:
      return base_rate *
             std::pow(schedule.step_factor, std::floor(at / (schedule.step_epochs * per_epoch)));
    case ScheduleKind::cosine:
      return along_cosine(base_rate, 0, (at - warmup) / std::max(1.0, total - warmup));
    case ScheduleKind::milestones:
      return after_milestones(schedule, base_rate, at / per_epoch);
    case ScheduleKind::constant:
    case ScheduleKind::linear:
    case ScheduleKind::one_cycle:
      break;
  }
  return base_rate;
}

}  // namespace tacho
