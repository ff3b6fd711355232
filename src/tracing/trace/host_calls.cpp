#include "tracing/trace/host_calls.h"

#include <algorithm>
#include <map>

namespace tacho {
namespace {

bool gives_work(CallKind kind) {
  return kind == CallKind::launch || kind == CallKind::graph_launch || kind == CallKind::copy;
}

// Calls of several threads overlap, and calls nest: a few calls before the last one to begin may
// still be running.
constexpr std::size_t kLookBack = 8;

template <class Record>
std::uint32_t correlation_at(const std::vector<Record>& records, std::int64_t begin_ns) {
  const auto found = std::lower_bound(
      records.begin(), records.end(), begin_ns,
      [](const Record& record, std::int64_t time) { return record.begin_ns < time; });
  return found != records.end() && found->begin_ns == begin_ns ? found->correlation : 0;
}

}  // namespace

HostCalls::HostCalls(const GpuTrace& trace, const std::vector<NameFacts>& facts)
    : trace_(trace), facts_(facts) {
  if (trace.calls.empty()) return;
  std::uint32_t least = UINT32_MAX;
  std::uint32_t most = 0;
  std::map<std::uint32_t, std::size_t> starts;  // by thread
  std::size_t all_starts = 0;
  for (const CallRecord& call : trace.calls) {
    least = std::min(least, call.correlation);
    most = std::max(most, call.correlation);
    if (!gives_work(kind(call))) continue;
    ++starts[call.thread];
    ++all_starts;
  }
  // A launching thread makes at least 1 % of the launches; one that only pins memory does not.
  for (const auto& [thread, count] : starts) {
    if (count * 100 >= all_starts) launching_threads_.push_back(thread);
  }

  first_correlation_ = least;
  const std::size_t range = std::size_t{most} - least + 1;
  const bool dense = range <= 8 * trace.calls.size() + 1024;
  if (dense) by_correlation_.resize(range);
  for (std::uint32_t i = 0; i < trace.calls.size(); ++i) {
    const CallRecord& call = trace.calls[i];
    if (dense) {
      std::uint32_t& place = by_correlation_[call.correlation - least];
      if (place == 0) place = i + 1;
    } else {
      by_any_correlation_.try_emplace(call.correlation, i);
    }
    if (!launches(call.thread)) continue;
    calls_.push_back(i);
    if (kind(call) == CallKind::wait) waits_.push_back(i);
  }
}

const CallRecord* HostCalls::find_call(std::uint32_t correlation) const {
  if (!by_correlation_.empty()) {
    if (correlation < first_correlation_) return nullptr;
    const std::size_t at = correlation - first_correlation_;
    if (at >= by_correlation_.size() || by_correlation_[at] == 0) return nullptr;
    return &trace_.calls[by_correlation_[at] - 1];
  }
  const auto found = by_any_correlation_.find(correlation);
  return found == by_any_correlation_.end() ? nullptr : &trace_.calls[found->second];
}

bool HostCalls::launches(std::uint32_t thread) const {
  return std::find(launching_threads_.begin(), launching_threads_.end(), thread) !=
         launching_threads_.end();
}

HostCalls::Pause HostCalls::longest_pause(std::int64_t from, std::int64_t to) const {
  Pause longest{from, from};
  if (to <= from) return longest;
  const auto first = std::lower_bound(
      calls_.begin(), calls_.end(), from,
      [this](std::uint32_t i, auto time) { return trace_.calls[i].begin_ns < time; });
  std::int64_t idle_since = from;
  const auto back = std::min<std::ptrdiff_t>(first - calls_.begin(), kLookBack);
  for (auto i = first - back; i != first; ++i) {
    idle_since = std::max(idle_since, trace_.calls[*i].end_ns);
  }
  const auto note = [&](std::int64_t until) {
    if (until - idle_since > longest.end_ns - longest.begin_ns) longest = {idle_since, until};
  };
  for (auto i = first; i != calls_.end() && trace_.calls[*i].begin_ns < to; ++i) {
    note(trace_.calls[*i].begin_ns);
    idle_since = std::max(idle_since, trace_.calls[*i].end_ns);
  }
  note(to);
  return longest;
}

bool HostCalls::waited_into(std::int64_t from, std::int64_t to) const {
  constexpr std::int64_t kClockSkewNs = 2000;
  const auto end = std::lower_bound(
      waits_.begin(), waits_.end(), from,
      [this](std::uint32_t i, auto time) { return trace_.calls[i].begin_ns < time; });
  const auto back = std::min<std::ptrdiff_t>(end - waits_.begin(), kLookBack);
  return std::any_of(end - back, end, [&](std::uint32_t i) {
    return trace_.calls[i].end_ns >= from - kClockSkewNs && trace_.calls[i].end_ns <= to;
  });
}

StepSpans HostCalls::host_spans(const StepSpans& spans) const {
  StepSpans host = spans;
  if (!spans.found) return host;
  for (std::int64_t& begin : host.begins_ns) {
    std::uint32_t correlation = correlation_at(trace_.copies, begin);
    if (correlation == 0) correlation = correlation_at(trace_.kernels, begin);
    const CallRecord* call = correlation == 0 ? nullptr : find_call(correlation);
    if (call != nullptr) begin = std::min(begin, call->begin_ns);
  }
  for (std::size_t i = 1; i < host.begins_ns.size(); ++i) {
    host.begins_ns[i] = std::max(host.begins_ns[i], host.begins_ns[i - 1]);
  }
  return host;
}

}  // namespace tacho
