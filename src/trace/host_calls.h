#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/name_facts.h"
#include "trace/step_spans.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

// The calls of a trace by what they started, and those of the threads that give the GPU its work.
// Refers to the trace it was made of.
class HostCalls {
 public:
  HostCalls(const GpuTrace& trace, const std::vector<NameFacts>& facts);

  // The call that started a kernel or a copy; nullptr if it was not traced.
  [[nodiscard]] const CallRecord* starter(std::uint32_t correlation) const;

  [[nodiscard]] CallKind kind(const CallRecord& call) const {
    return facts_at(facts_, call.name).call;
  }
  [[nodiscard]] bool launches(std::uint32_t thread) const;

  // The longest time between `from` and `to` in which no launching thread was in a call.
  struct Silence {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  [[nodiscard]] Silence longest_silence(std::int64_t from, std::int64_t to) const;

  // Whether a call that had begun to wait for the GPU before `from` came back until `to`.
  [[nodiscard]] bool waited_into(std::int64_t from, std::int64_t to) const;

  // The steps as the host sees them, who may be ahead of the GPU by more than one: each begins with
  // the call that started its first kernel or copy.
  [[nodiscard]] StepSpans host_spans(const StepSpans& spans) const;

 private:
  const GpuTrace& trace_;
  const std::vector<NameFacts>& facts_;
  std::uint32_t first_correlation_ = 0;
  std::vector<std::uint32_t> by_correlation_;  // index of the call + 1, where they lie dense
  std::unordered_map<std::uint32_t, std::uint32_t> by_any_correlation_;
  std::vector<std::uint32_t> launching_threads_;
  std::vector<std::uint32_t> calls_;  // of launching threads
  std::vector<std::uint32_t> waits_;
};

}  // namespace tacho
