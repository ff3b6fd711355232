#include "programs/worker/yielding_waits.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>

#include "base/signals.h"
#include "base/units.h"
#include "machine/probe/contention_sense.h"
#include "training/train/idle_team.h"

namespace tacho {
namespace {

// Long enough that a single time slice of another program does not count as contention.
constexpr Seconds kPause{0.25};
constexpr double kMostOfAProcessor = 0.001;

Seconds time_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void watch(const std::stop_token& stop) {
  ContentionSense sense;
  std::unique_ptr<IdleTeam> team;
  std::mutex mutex;
  std::condition_variable_any wake;
  while (!stop.stop_requested()) {
    const Seconds before = time_of(CLOCK_THREAD_CPUTIME_ID);
    const auto delay = run_delay_of("/proc/self/task");
    if (!delay) return;  // not counted by this kernel
    const bool contended = sense.contended(time_of(CLOCK_MONOTONIC), *delay);
    if (contended && !team) {
      team = IdleTeam::start();
      if (!team) return;  // not supported by this OpenMP, or set by the user
    } else if (!contended) {
      team.reset();
    }
    const Seconds cost = time_of(CLOCK_THREAD_CPUTIME_ID) - before;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, std::max(kPause, cost / kMostOfAProcessor), [] { return false; });
  }
}

// The C library has neither the calls nor the structure.
struct SchedulingAttributes {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime_ns;  // for SCHED_OTHER: the slice
  std::uint64_t deadline_ns;
  std::uint64_t period_ns;
};

// Best effort: older kernels do not support custom slices.
void ask_for_short_slices() {
  constexpr std::uint64_t kShortestNs = 100'000;
  SchedulingAttributes attributes{};
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.runtime_ns = kShortestNs;
  (void)::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

YieldingWaits::YieldingWaits() {
  ask_for_short_slices();
  const SignalsBlocked blocked;
  watcher_ = std::jthread(watch);
}

}  // namespace tacho
