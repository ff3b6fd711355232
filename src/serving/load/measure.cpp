#include "serving/load/measure.h"

#include <algorithm>
#include <thread>

#include "serving/load/driver.h"

namespace tacho::load {
namespace {

using namespace std::chrono_literals;

constexpr auto kViewInterval = 200ms;
constexpr auto kUntilStart = 5ms;  // enough for every thread to start
constexpr double kInTime = 0.95;

Progress progress_of(const WindowLog::Copy& log, Seconds elapsed, Seconds planned) {
  Progress progress{.elapsed = std::min(elapsed, planned), .planned = planned};
  for (const Window& window : log.windows) progress.failed += window.tally.failed();
  progress.failed += log.after.tally.failed();
  // The last window is still being filled.
  const auto whole = log.windows.empty() ? 0 : log.windows.size() - 1;
  const auto in_a_second = std::max<std::size_t>(1, static_cast<std::size_t>(1s / log.length));
  LatencyHistogram recent;
  std::size_t seen = 0;
  for (; seen < std::min(whole, in_a_second); ++seen) {
    recent.merge(log.windows[whole - 1 - seen].latency);
  }
  if (seen == 0) return progress;
  progress.requests_per_s = static_cast<double>(recent.count()) /
                            (static_cast<double>(seen) * Seconds(log.length).count());
  progress.p50 = recent.quantile(0.5);
  progress.p99 = recent.quantile(0.99);
  return progress;
}

double due_between(const ArrivalPlan& plan, double from, double to) {
  if (plan.recorded) {
    const auto at = [&](double t) { return std::ranges::lower_bound(*plan.recorded, t); };
    return static_cast<double>(at(to) - at(from));
  }
  // Rates change linearly between points; a thousand points are accurate enough.
  double due = 0;
  const double step = (to - from) / 1000;
  for (int i = 0; i < 1000; ++i) due += step * plan.profile.rate_at(from + (i + 0.5) * step);
  return due;
}

Measured summed_up(const LoadPlan& plan, WindowLog::Copy log, Seconds lasted) {
  Measured made;
  made.window_length = log.length;
  made.windows = std::move(log.windows);
  made.after = std::move(log.after);
  made.first_failure = std::move(log.first_failure);
  // A load that changes has no steady part.
  const bool changes =
      plan.arrivals && (plan.arrivals->recorded || !plan.arrivals->profile.is_constant());
  if (!changes) made.steady = find_steady_part(made.windows);
  made.warmup = std::min(lasted, static_cast<double>(made.steady.first) * made.window_length);
  made.seconds = lasted - made.warmup;
  for (std::size_t i = made.steady.first; i < made.windows.size(); ++i) {
    made.tally += made.windows[i].tally;
    made.latency.merge(made.windows[i].latency);
    made.service.merge(made.windows[i].service);
  }
  if (made.seconds.count() > 0) {
    made.requests_per_s = static_cast<double>(made.tally.ok) / made.seconds.count();
  }
  if (plan.arrivals && made.seconds.count() > 0) {
    made.offered_per_s =
        due_between(*plan.arrivals, made.warmup.count(), lasted.count()) / made.seconds.count();
  }
  made.tally += made.after.tally;
  made.latency.merge(made.after.latency);
  made.service.merge(made.after.service);
  return made;
}

}  // namespace

bool Measured::falls_behind() const {
  if (offered_per_s <= 0 || seconds.count() <= 0) return false;
  const auto ended = static_cast<double>(tally.requests() - after.tally.requests());
  return ended < kInTime * offered_per_s * seconds.count();
}

Result<Measured> measure(const LoadPlan& plan, const std::atomic<int>& interrupts,
                         const ProgressView& view) {
  WindowLog log;
  std::vector<std::unique_ptr<Driver>> drivers;
  for (int i = 0; i < plan.threads; ++i) {
    TACHO_TRY(driver, Driver::make(plan, {i, plan.threads}, log));
    drivers.push_back(std::move(driver));
  }
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> ended = 0;
  const auto start = Clock::now() + kUntilStart;
  std::vector<std::jthread> threads;
  for (const auto& driver : drivers) {
    threads.emplace_back([&] {
      driver->run(start, stop);
      ++ended;
      ended.notify_one();
    });
  }
  Clock::time_point stopped = Clock::time_point::max();
  auto next_view = start + kViewInterval;
  while (ended < drivers.size()) {
    std::this_thread::sleep_for(10ms);
    const auto now = Clock::now();
    if (!stop && interrupts > 0) {
      stop = true;
      stopped = now;
    }
    if (now < next_view) continue;
    next_view = now + kViewInterval;
    if (view) view(progress_of(log.copy(), now - start, plan.duration));
  }
  threads.clear();
  Measured made = summed_up(plan, log.copy(), std::min<Seconds>(plan.duration, stopped - start));
  made.interrupted = stop;
  return made;
}

}  // namespace tacho::load
