#include "tracing/trace/phases.h"

#include <algorithm>
#include <map>

namespace tacho {
namespace {

// Launches of products and convolutions by thread.
struct Launchers {
  std::map<std::uint32_t, std::size_t> heavy;
  std::map<std::uint32_t, std::size_t> first;  // launches that were the first of a step
  std::size_t all = 0;
  std::size_t from_graphs = 0;
};

Launchers launchers_of(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                       const HostCalls& calls, const StepSpans& spans) {
  Launchers launchers;
  StepCursor cursor(spans);
  std::size_t last_step = StepCursor::kNone;
  for (const KernelRecord& kernel : trace.kernels) {
    if (!facts_at(facts, kernel.name).heavy()) continue;
    const std::size_t step = cursor.at(kernel.begin_ns);
    if (step == StepCursor::kNone) continue;
    ++launchers.all;
    if (kernel.graph_node != 0) ++launchers.from_graphs;
    const CallRecord* call = calls.find_call(kernel.correlation);
    if (call == nullptr) continue;
    ++launchers.heavy[call->thread];
    if (step != last_step) ++launchers.first[call->thread];
    last_step = step;
  }
  return launchers;
}

// After the last kernel of the backward pass, a step only updates weights: all kernels before the
// next product belong to the optimizer, whatever their names.
void name_updates(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                  const StepSpans& spans, std::vector<Phase>& phases) {
  StepCursor cursor(spans);
  std::size_t step = StepCursor::kNone;
  std::size_t after = SIZE_MAX;  // first kernel after the step's last of the backward pass
  const auto close = [&](std::size_t end) {
    for (std::size_t i = after; i < end; ++i) {
      const NameFacts& name = facts_at(facts, trace.kernels[i].name);
      if (name.heavy()) break;
      if (name.kind != KernelClass::communication) phases[i] = Phase::optimizer;
    }
    after = SIZE_MAX;
  };
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const std::size_t now = cursor.at(trace.kernels[i].begin_ns);
    if (now != step) close(i);
    step = now;
    if (phases[i] == Phase::backward && now != StepCursor::kNone) after = i + 1;
  }
  close(trace.kernels.size());
}

bool by_threads(const GpuTrace& trace, const std::vector<NameFacts>& facts, const HostCalls& calls,
                const StepSpans& spans, std::vector<Phase>& phases) {
  const Launchers launchers = launchers_of(trace, facts, calls, spans);
  if (launchers.first.empty() || launchers.from_graphs * 2 > launchers.all) return false;
  const std::uint32_t main_thread =
      std::max_element(launchers.first.begin(), launchers.first.end(), [](auto& a, auto& b) {
        return a.second < b.second;
      })->first;
  const std::size_t of_main = launchers.heavy.at(main_thread);
  // A backward pass has about twice as many products as a forward pass, so each side should have
  // far more than a tenth.
  if (of_main * 10 < launchers.all || (launchers.all - of_main) * 10 < launchers.all) return false;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const KernelRecord& kernel = trace.kernels[i];
    if (facts_at(facts, kernel.name).kind == KernelClass::optimizer) {
      phases[i] = Phase::optimizer;
      continue;
    }
    const CallRecord* call = calls.find_call(kernel.correlation);
    const bool other = call != nullptr && call->thread != main_thread;
    phases[i] = other ? Phase::backward : Phase::forward;
  }
  return true;
}

// Forward until a kernel's name says that it computes gradients; backward until an optimizer kernel
// or the next input.
bool by_names(const GpuTrace& trace, const std::vector<NameFacts>& facts, const StepSpans& spans,
              std::vector<Phase>& phases) {
  StepCursor cursor(spans);
  auto copy = trace.copies.begin();
  Phase phase = Phase::forward;
  std::size_t step = StepCursor::kNone;
  std::size_t last_backward = StepCursor::kNone;
  std::size_t with_backward = 0;
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const KernelRecord& kernel = trace.kernels[i];
    const NameFacts& name = facts_at(facts, kernel.name);
    const std::size_t now = cursor.at(kernel.begin_ns);
    if (now != step) phase = Phase::forward;
    step = now;
    for (; copy != trace.copies.end() && copy->begin_ns <= kernel.begin_ns; ++copy) {
      const bool input = copy->kind == CopyKind::host_to_device && copy->bytes > 4096;
      if (input && phase == Phase::backward) phase = Phase::forward;
    }
    if (name.kind == KernelClass::optimizer) {
      phase = Phase::optimizer;
    } else if (name.backward) {
      phase = Phase::backward;
      if (now != StepCursor::kNone && now != last_backward) ++with_backward;
      if (now != StepCursor::kNone) last_backward = now;
    } else if (phase == Phase::optimizer && name.heavy()) {
      phase = Phase::forward;
    }
    phases[i] = phase;
  }
  return with_backward * 10 >= spans.size() * 8;
}

}  // namespace

Phases phases_of(const GpuTrace& trace, const std::vector<NameFacts>& facts, const HostCalls& calls,
                 const StepSpans& spans) {
  Phases phases;
  phases.of_kernel.assign(trace.kernels.size(), Phase::forward);
  if (by_threads(trace, facts, calls, spans, phases.of_kernel)) {
    if (spans.found) name_updates(trace, facts, spans, phases.of_kernel);
    phases.known = true;
  } else {
    phases.known = by_names(trace, facts, spans, phases.of_kernel);
  }
  if (!phases.known) phases.of_kernel.assign(trace.kernels.size(), Phase::forward);
  return phases;
}

}  // namespace tacho
