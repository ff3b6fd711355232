#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tracing/trace/name_facts.h"
#include "tracing/trace/step_spans.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// Index of a trace's calls: by correlation, and those of the threads that launch work. Keeps a
// reference to the trace.
class HostCalls {
 public:
  HostCalls(const GpuTrace& trace, const std::vector<NameFacts>& facts);

  // Returns the call that started a kernel or a copy; nullptr if it was not traced.
  [[nodiscard]] const CallRecord* find_call(std::uint32_t correlation) const;

  [[nodiscard]] CallKind kind(const CallRecord& call) const {
    return facts_at(facts_, call.name).call;
  }
  [[nodiscard]] bool launches(std::uint32_t thread) const;

  // The longest interval between `from` and `to` in which no launching thread was in a call.
  struct Pause {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  [[nodiscard]] Pause longest_pause(std::int64_t from, std::int64_t to) const;

  // True if a call that began to wait for the GPU before `from` returned between `from` and `to`.
  [[nodiscard]] bool waited_into(std::int64_t from, std::int64_t to) const;

  // The steps on the host, which may be ahead of the GPU by more than one: each begins with the
  // call that started its first kernel or copy.
  [[nodiscard]] StepSpans host_spans(const StepSpans& spans) const;

 private:
  const GpuTrace& trace_;
  const std::vector<NameFacts>& facts_;
  std::uint32_t first_correlation_ = 0;
  std::vector<std::uint32_t> by_correlation_;  // index of the call + 1, if correlations are dense
  std::unordered_map<std::uint32_t, std::uint32_t> by_any_correlation_;
  std::vector<std::uint32_t> launching_threads_;
  std::vector<std::uint32_t> calls_;  // of launching threads
  std::vector<std::uint32_t> waits_;
};

}  // namespace tacho
