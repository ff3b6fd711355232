#include "tracing/trace/step_parts.h"

#include <algorithm>

#include "base/enum_array.h"
#include "tracing/trace/gpu_order.h"
#include "tracing/trace/phases.h"
#include "tracing/trace/token_line.h"

namespace tacho {
namespace {

// A kernel that begins sooner than this after its launch was not queued: the GPU waited for it.
constexpr std::int64_t kLaunchLatency = 20'000;
// Shorter pauses between calls are ordinary work, such as the Python code of a network.
constexpr std::int64_t kLeastPause = 100'000;
constexpr double kLeastPauseShare = 0.03;
// A copy call that takes longer copies pageable memory in chunks.
constexpr std::int64_t kSlowCopyCall = 20'000;

// Smaller copies are scalars, such as a learning rate.
constexpr std::int64_t kLeastInputBytes = 64;

enum class Work : std::uint8_t { forward, backward, optimizer, communication, input, elsewhere };
constexpr std::size_t kWorks = 6;

bool is_input(const CopyRecord& copy) {
  return copy.kind == CopyKind::host_to_device && copy.bytes >= kLeastInputBytes;
}

struct Piece {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t correlation = 0;
  Work work = Work::forward;
};

// Calls `use` for all work of a device, ordered by begin time.
template <class Use>
void for_each_piece(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                    const Phases& phases, std::uint32_t device, Use use) {
  Work phase = Work::forward;
  const auto use_kernel = [&](std::size_t i) {
    const KernelRecord& kernel = trace.kernels[i];
    if (kernel.device != device) return;
    Work work = Work::communication;
    if (facts_at(facts, kernel.name).kind != KernelClass::communication) {
      work = static_cast<Work>(phases.of_kernel[i]);
      phase = work;
    }
    use({kernel.begin_ns, kernel.end_ns, kernel.correlation, work});
  };
  const auto use_copy = [&](const CopyRecord& copy) {
    if (copy.device != device) return;
    Work work = Work::elsewhere;
    if (copy.kind == CopyKind::host_to_device) work = Work::input;
    if (copy.kind == CopyKind::device_to_device) work = phase;
    use({copy.begin_ns, copy.end_ns, copy.correlation, work});
  };
  const auto use_set = [&](const SetRecord& set) {
    if (set.device == device) use({set.begin_ns, set.end_ns, set.correlation, phase});
  };
  in_order_of_begin(trace, use_kernel, use_copy, use_set);
}

// Time until which each step may wait for input: the last copy from the host before its first
// product. A step without such copies has its data on the GPU and never waits for input.
std::vector<std::int64_t> input_times(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                                      const StepSpans& spans) {
  std::vector<std::int64_t> firsts(spans.size(), INT64_MAX);
  StepCursor kernels(spans);
  for (const KernelRecord& kernel : trace.kernels) {
    const std::size_t step = kernels.at(kernel.begin_ns);
    if (step == StepCursor::kNone || firsts[step] != INT64_MAX) continue;
    if (facts_at(facts, kernel.name).heavy()) firsts[step] = kernel.begin_ns;
  }
  std::vector<std::int64_t> inputs(spans.size(), INT64_MIN);
  StepCursor copies(spans);
  for (const CopyRecord& copy : trace.copies) {
    const std::size_t step = copies.at(copy.begin_ns);
    if (step == StepCursor::kNone || !is_input(copy)) continue;
    if (copy.begin_ns <= firsts[step]) inputs[step] = copy.begin_ns;
  }
  return inputs;
}

// Sums the parts over the counted steps. take() must be called in order of begin times.
class PartSums {
 public:
  PartSums(const GpuTrace& trace, const std::vector<NameFacts>& facts, const HostCalls& calls,
           const StepSpans& spans)
      : calls_(calls),
        spans_(spans),
        slices_(spans),
        nexts_(spans),
        input_times_(input_times(trace, facts, spans)),
        least_pause_(
            std::max(kLeastPause, static_cast<std::int64_t>(kLeastPauseShare * 1e9 *
                                                            (spans.found ? spans.period_s : 0)))) {}

  void take(const Piece& piece) {
    finish_until(piece.begin_ns);
    if (active_.empty() && piece.begin_ns > now_) {
      if (now_ != INT64_MIN) gap(now_, piece.begin_ns, piece);
      now_ = piece.begin_ns;
    }
    if (piece.end_ns <= piece.begin_ns) return;
    active_.push_back({piece.end_ns, piece.work});
    std::push_heap(active_.begin(), active_.end(), later);
    ++running_[piece.work];
  }

  StepParts parts() {
    finish_until(INT64_MAX);
    const double scale = 1e-9 * spans_.time_scale();
    for (double StepParts::*part :
         {&StepParts::input_wait, &StepParts::host_to_device, &StepParts::forward,
          &StepParts::backward, &StepParts::optimizer, &StepParts::comm_exposed,
          &StepParts::launch_gaps, &StepParts::sync_gaps, &StepParts::other,
          &StepParts::comm_hidden}) {
      sums_.*part *= scale;
    }
    // Time before the first record or after the last, if the whole trace is one step.
    const double known = sums_.input_wait + sums_.host_to_device + sums_.forward + sums_.backward +
                         sums_.optimizer + sums_.comm_exposed + sums_.launch_gaps +
                         sums_.sync_gaps + sums_.other;
    sums_.other += std::max(0.0, spans_.period_s - known);
    return sums_;
  }

 private:
  struct Active {
    std::int64_t end_ns = 0;
    Work work = Work::forward;
  };
  static bool later(const Active& a, const Active& b) { return a.end_ns > b.end_ns; }

  void finish_until(std::int64_t time) {
    while (!active_.empty()) {
      const Active next = active_.front();
      if (next.end_ns > time) {
        busy_slice(time);
        return;
      }
      busy_slice(next.end_ns);
      --running_[next.work];
      std::pop_heap(active_.begin(), active_.end(), later);
      active_.pop_back();
    }
  }

  [[nodiscard]] bool runs(Work work) const { return running_[work] > 0; }

  void busy_slice(std::int64_t until) {
    if (until <= now_) return;
    const bool computes = runs(Work::forward) || runs(Work::backward) || runs(Work::optimizer);
    double StepParts::*part = &StepParts::other;
    if (runs(Work::optimizer)) {
      part = &StepParts::optimizer;
    } else if (runs(Work::backward)) {
      part = &StepParts::backward;
    } else if (runs(Work::forward)) {
      part = &StepParts::forward;
    } else if (runs(Work::communication)) {
      part = &StepParts::comm_exposed;
    } else if (runs(Work::input)) {
      part = &StepParts::host_to_device;
    }
    add(part, now_, until, computes && runs(Work::communication));
    now_ = until;
  }

  // The GPU was idle until `next` began; the host's calls in that time give the reason.
  void gap(std::int64_t from, std::int64_t to, const Piece& next) {
    const CallRecord* call = calls_.find_call(next.correlation);
    if (call == nullptr || to > call->end_ns + kLaunchLatency) {
      add(&StepParts::other, from, to);  // it was queued: the GPU itself delayed it
      return;
    }
    const std::int64_t called = std::clamp(call->begin_ns, from, to);
    const bool copies = next.work == Work::input;
    const std::size_t step = nexts_.at(to);
    const bool before_input =
        spans_.found && step != StepCursor::kNone ? to <= input_times_[step] : copies;
    std::int64_t pause_from = from;
    std::int64_t pause_to = from;
    if (before_input) {
      const auto pause = calls_.longest_pause(from, called);
      if (pause.end_ns - pause.begin_ns >= least_pause_) {
        pause_from = pause.begin_ns;
        pause_to = pause.end_ns;
      }
    }
    double StepParts::*why =
        calls_.waited_into(from, to) ? &StepParts::sync_gaps : &StepParts::launch_gaps;
    const bool slow_copy = copies && to - called > kSlowCopyCall;
    add(why, from, pause_from);
    add(&StepParts::input_wait, pause_from, pause_to);
    add(why, pause_to, slow_copy ? called : to);
    if (slow_copy) add(&StepParts::host_to_device, called, to);
  }

  void add(double StepParts::*part, std::int64_t from, std::int64_t to, bool hides = false) {
    from = std::max(from, spans_.begins_ns.front());
    to = std::min(to, spans_.begins_ns.back());
    while (from < to) {
      const std::size_t step = slices_.at(from);
      const std::int64_t until = std::min(to, spans_.begins_ns[step + 1]);
      if (spans_.counts[step]) {
        sums_.*part += static_cast<double>(until - from);
        if (hides) sums_.comm_hidden += static_cast<double>(until - from);
      }
      from = until;
    }
  }

  const HostCalls& calls_;
  const StepSpans& spans_;
  StepCursor slices_;
  StepCursor nexts_;
  std::vector<std::int64_t> input_times_;
  std::int64_t least_pause_;
  std::vector<Active> active_;  // a heap: the one that ends first is in front
  EnumArray<Work, int, kWorks> running_ = {};
  std::int64_t now_ = INT64_MIN;
  StepParts sums_;  // in nanoseconds of all counted steps, until parts()
};

}  // namespace

StepParts step_parts(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                     const HostCalls& calls, const StepSpans& spans) {
  const Phases phases = phases_of(trace, facts, calls, spans);
  PartSums sums(trace, facts, calls, spans);
  for_each_piece(trace, facts, phases, busiest_device(trace),
                 [&sums](const Piece& piece) { sums.take(piece); });
  StepParts parts = sums.parts();
  parts.phases_known = phases.known;
  return parts;
}

}  // namespace tacho
