#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "core/record/rank_figures.h"
#include "tracing/report/advice_rules.h"
#include "tracing/report/words.h"

namespace tacho {
namespace {

using Found = std::optional<Advice>;

const StepPart* part_of(const Situation& s, std::string_view key) {
  if (!s.step) return nullptr;
  for (const StepPart& part : s.step->parts) {
    if (part.key == key) return &part;
  }
  return nullptr;
}

// True if threads waited for cores: cores that another job uses are not idle, and times measured on
// them do not describe the machine.
bool is_contended(const Situation& s) {
  return s.run.used && s.run.used->cpu_stalled_share.value_or(0) > 0.25;
}

// Uses the worker's own measurement of the wait; a GPU trace is more exact.
Found starved_worker(const Situation& s) {
  const StepPart* wait = part_of(s, "input_wait");
  if (s.gpu != nullptr || wait == nullptr) return std::nullopt;
  const bool busy = s.cores_allowed > 0 && s.cores_used > 0.9 * s.cores_allowed;
  Advice advice{.key = "input",
                .title = "Training waits for input",
                .action = busy ? "all cores are in use: give the run more, or prepare smaller or "
                                 "decoded data (tacho data prepare)"
                               : "use more loader threads: --workers"};
  advice.evidence =
      fmt::format("{} of each step ({})", human(Seconds(wait->seconds)), percent(wait->share));
  advice.saving = busy ? wait->share / 2 : wait->share;
  advice.range = {wait->share / 2, wait->share};
  return advice;
}

Found exposed_exchange(const Situation& s) {
  const StepPart* exposed = part_of(s, "comm_exposed");
  const auto comm = comm_figures_of(s.run.record);
  if (s.gpu != nullptr || exposed == nullptr || !comm) return std::nullopt;
  Advice advice{.key = "comm",
                .title = "Ranks wait for each other's gradients",
                .action =
                    "send less, or less often: --compress, --accumulate, a larger batch; "
                    "smaller buckets overlap more with the backward pass"};
  advice.evidence = fmt::format("{} of communication per step, {} of it hidden",
                                human(Seconds(comm->seconds)), percent(comm->hidden_share));
  advice.saving = 0.7 * exposed->share;
  advice.range = {0.3 * exposed->share, exposed->share};
  return advice;
}

// Threads do not divide the work perfectly: 60 % of the ideal speedup is expected, and at least
// half of that saving. Applies only to a worker that reports fewer threads than allowed cores;
// whether another program could use more threads is unknown.
Found idle_cores(const Situation& s) {
  constexpr double kThreadsGive = 0.6;
  constexpr double kShortStep = 2e-3;  // waking more threads would cost more than it saves
  const bool known = s.cores_allowed >= 2 && s.cores_used > 0;
  const bool gpu_run = !s.run.processes.empty() || (s.run.used && !s.run.used->gpus.empty());
  const bool short_step = s.step && s.step->seconds < kShortStep;
  const auto& started = s.run.record.started;
  const auto threads = static_cast<double>(started ? started->paths.threads : 0);
  const bool could_use_more = threads > 0 && threads < s.cores_allowed;
  if (!known || gpu_run || is_contended(s) || short_step || !could_use_more) return std::nullopt;
  const double used = s.cores_used / s.cores_allowed;
  Advice advice{.key = "threads",
                .title = "Most of the run's cores are idle",
                .action =
                    "use more threads (OMP_NUM_THREADS, torch.set_num_threads, --threads), or "
                    "a larger batch"};
  advice.evidence = fmt::format("{:.0f} threads; {:.1f} of {:.0f} cores in use on average", threads,
                                s.cores_used, s.cores_allowed);
  advice.saving = std::max(0.0, 1 - used / kThreadsGive);
  advice.range = {advice.saving / 2, 1 - used};
  return advice;
}

Found slow_blas(const Situation& s) {
  if (!s.run.record.started) return std::nullopt;
  const ComputePaths& paths = s.run.record.started->paths;
  const double gflops =
      paths.product_gflops / static_cast<double>(std::max<std::int64_t>(1, paths.threads));
  if (s.gpu != nullptr || is_contended(s) || paths.product_gflops <= 0 || gflops > 8) {
    return std::nullopt;
  }
  Advice advice{.key = "blas",
                .title = "Matrix products are slow on this machine",
                .action =
                    "install an optimised BLAS (libopenblas0-pthread) and check it with "
                    "'tacho doctor'"};
  advice.evidence = fmt::format("{:.1f} GFLOP/s per thread with {}", gflops, paths.blas);
  advice.saving = 0.4;
  advice.range = {0.2, 0.7};
  return advice;
}

// The saving assumes that the most expensive operator reaches the share of the machine's peak that
// good implementations reach; the lower bound, the share that usual ones reach.
Found far_from_roof(const Situation& s) {
  constexpr double kGoodShare = 0.6;
  constexpr double kUsualShare = 0.4;
  if (!s.run.ops || s.run.ops->step_s.empty() || !s.run.processes.empty()) return std::nullopt;
  const auto roof = roofline_of(*s.run.ops);
  if (!roof || roof->points.empty()) return std::nullopt;
  const RooflinePoint& top = roof->points.front();
  double step = 0;
  for (const double seconds : s.run.ops->step_s) step += seconds;
  const double share = top.seconds / (step / static_cast<double>(s.run.ops->step_s.size()));
  if (top.reached >= kGoodShare) return std::nullopt;
  Advice advice{.key = "operator",
                .title = fmt::format("{} is far below the peak of this machine", top.name),
                .action =
                    "try the other implementation (--mkldnn on or off), channels last, more "
                    "threads, or a larger batch"};
  advice.evidence = fmt::format("{} of a step, at {} of the {} limit", percent(share),
                                percent(top.reached), top.by_memory ? "memory" : "compute");
  advice.saving = share * (1 - top.reached / kGoodShare);
  advice.range = {share * std::max(0.0, 1 - top.reached / kUsualShare), share * (1 - top.reached)};
  return advice;
}

const GpuSummary* hottest(const Situation& s) {
  if (!s.run.used) return nullptr;
  const GpuSummary* worst = nullptr;
  for (const GpuSummary& gpu : s.run.used->gpus) {
    if (gpu.throttled_by.empty() || gpu.sm_share_of_max <= 0) continue;
    if (worst == nullptr || gpu.sm_share_of_max < worst->sm_share_of_max) worst = &gpu;
  }
  return worst;
}

Found throttled_clocks(const Situation& s) {
  const GpuSummary* gpu = hottest(s);
  if (gpu == nullptr) return std::nullopt;
  std::string reasons;
  double held = 0;
  for (const auto& [reason, share] : gpu->throttled_by) {
    reasons +=
        fmt::format("{}{} {} of the time", reasons.empty() ? "" : ", ", reason, percent(share));
    held = std::max(held, share);
  }
  // Kernels that are bound by memory lose nothing with a slower clock. While memory is idle, they
  // wait for the clock or for each other: at least half of that time is lost.
  const double lost = held * (1 - gpu->sm_share_of_max) * gpu->mean_busy.value_or(0);
  Advice advice{.key = "clocks",
                .title = "The GPU's clocks are throttled",
                .action =
                    "check its cooling and power limit: nvidia-smi -q -d "
                    "PERFORMANCE,POWER,TEMPERATURE"};
  advice.evidence = fmt::format("{:.0f} MHz, {} of the maximum; {}", gpu->mean_sm_mhz,
                                percent(gpu->sm_share_of_max), reasons);
  advice.saving = 0.5 * lost;
  advice.range = {0.5 * lost * (1 - std::min(1.0, gpu->mean_memory_busy)), lost};
  return advice;
}

struct Pressure {
  const char* key;
  std::optional<double> UsageSummary::*share;
  const char* title;
  const char* action;
  const char* evidence;
};

constexpr std::array kPressures = {
    Pressure{"quota", &UsageSummary::throttled_share, "The cgroup's CPU quota throttles the run",
             "raise the container's CPU limit, or use no more threads than it allows",
             "of the time throttled"},
    Pressure{"memory", &UsageSummary::memory_stalled_share, "The run waits for memory",
             "give it more memory, or use less: fewer loader workers, a smaller cache",
             "of the time, a task waited for pages"},
    Pressure{"contention", &UsageSummary::cpu_stalled_share,
             "More threads are ready to run than there are cores",
             "use fewer threads and loader workers, or run no other job at the same time",
             "of the time, a task waited for a core"},
    Pressure{"disk", &UsageSummary::io_stalled_share, "The run waits for storage",
             "put the data on a faster disk or in memory, or read it in larger pieces",
             "of the time, a task waited for storage"},
};

// Some thread waited for that share of the time. The step lost between one thread's part of it and
// all of it, depending on which thread it was; half is assumed.
template <std::size_t kIndex>
Found pressure(const Situation& s) {
  constexpr const Pressure& kind = kPressures[kIndex];
  if (!s.run.used || !((*s.run.used).*kind.share)) return std::nullopt;
  const double share = *((*s.run.used).*kind.share);
  if (share < 0.1) return std::nullopt;
  Advice advice{.key = kind.key, .title = kind.title, .action = kind.action};
  advice.evidence = fmt::format("{} {}", percent(share), kind.evidence);
  if (s.run.used->major_faults > 0 && std::string_view(kind.key) == "memory") {
    advice.evidence += fmt::format("; {} major page faults, {} swapped",
                                   human_count(static_cast<double>(s.run.used->major_faults)),
                                   human(Bytes{s.run.used->peak_swapped_bytes}));
  }
  const auto threads = static_cast<double>(std::max<std::int64_t>(1, s.run.used->peak_threads));
  advice.range = {share / threads, share};
  advice.saving = std::max(0.5 * share, advice.range.low);
  return advice;
}

Found swapping(const Situation& s) {
  if (!s.run.used || s.run.used->peak_swapped_bytes < (64 << 20)) return std::nullopt;
  if (s.run.used->memory_stalled_share.value_or(0) >= 0.1) return std::nullopt;  // see "memory"
  const UsageSummary& used = *s.run.used;
  const double faults =
      used.seconds > 0 ? static_cast<double>(used.major_faults) / used.seconds : 0;
  Advice advice{
      .key = "swap",
      .title = "The run's memory was swapped out",
      .action = "give it more memory, or use less: fewer loader workers, a smaller cache"};
  advice.evidence = fmt::format("up to {} swapped, {:.0f} major page faults per second",
                                human(Bytes{used.peak_swapped_bytes}), faults);
  constexpr double kFaultSeconds = 1e-4;       // from a solid-state disk
  constexpr double kQuickFaultSeconds = 2e-5;  // from a fast one, or compressed memory
  constexpr double kSlowFaultSeconds = 3e-4;
  advice.saving = std::min(0.9, faults * kFaultSeconds);
  advice.range = {std::min(0.9, faults * kQuickFaultSeconds),
                  std::min(1.0, faults * kSlowFaultSeconds)};
  return advice;
}

constexpr std::array<AdviceRule, 11> kHostRules = {
    starved_worker, exposed_exchange, idle_cores,  slow_blas,   far_from_roof, throttled_clocks,
    pressure<0>,    pressure<1>,      pressure<2>, pressure<3>, swapping,
};

}  // namespace

std::span<const AdviceRule> host_rules() { return kHostRules; }

}  // namespace tacho
