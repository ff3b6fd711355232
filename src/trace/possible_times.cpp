#include "trace/possible_times.h"

#include <algorithm>
#include <vector>

namespace tacho {
namespace {

constexpr std::int64_t kLatest = std::int64_t{1} << 62;

template <class Record>
bool is_possible(const Record& record) {
  return record.begin_ns >= 0 && record.end_ns >= record.begin_ns && record.end_ns < kLatest;
}

template <class Record>
bool all_possible(const std::vector<Record>& records) {
  return std::all_of(records.begin(), records.end(), is_possible<Record>);
}

template <class Record>
void keep_possible(std::vector<Record>& records) {
  std::erase_if(records, [](const Record& record) { return !is_possible(record); });
}

bool is_possible_clock(std::int64_t to_unix_ns) {
  return to_unix_ns > -kLatest && to_unix_ns < kLatest;
}

}  // namespace

bool has_possible_times(const GpuTrace& trace) {
  return all_possible(trace.kernels) && all_possible(trace.copies) && all_possible(trace.sets) &&
         all_possible(trace.calls) && all_possible(trace.ranges) &&
         is_possible_clock(trace.to_unix_ns);
}

GpuTrace with_possible_times(const GpuTrace& trace) {
  GpuTrace kept = trace;
  keep_possible(kept.kernels);
  keep_possible(kept.copies);
  keep_possible(kept.sets);
  keep_possible(kept.calls);
  keep_possible(kept.ranges);
  if (!is_possible_clock(kept.to_unix_ns)) kept.to_unix_ns = 0;
  return kept;
}

}  // namespace tacho
