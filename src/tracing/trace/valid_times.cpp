#include "tracing/trace/valid_times.h"

#include <algorithm>
#include <vector>

namespace tacho {
namespace {

constexpr std::int64_t kLatest = std::int64_t{1} << 62;

template <class Record>
bool is_valid(const Record& record) {
  return record.begin_ns >= 0 && record.end_ns >= record.begin_ns && record.end_ns < kLatest;
}

template <class Record>
bool all_valid(const std::vector<Record>& records) {
  return std::all_of(records.begin(), records.end(), is_valid<Record>);
}

template <class Record>
void keep_valid(std::vector<Record>& records) {
  std::erase_if(records, [](const Record& record) { return !is_valid(record); });
}

bool is_valid_clock(std::int64_t to_unix_ns) {
  return to_unix_ns > -kLatest && to_unix_ns < kLatest;
}

}  // namespace

bool has_valid_times(const GpuTrace& trace) {
  return all_valid(trace.kernels) && all_valid(trace.copies) && all_valid(trace.sets) &&
         all_valid(trace.calls) && all_valid(trace.ranges) && is_valid_clock(trace.to_unix_ns);
}

GpuTrace with_valid_times(const GpuTrace& trace) {
  GpuTrace kept = trace;
  keep_valid(kept.kernels);
  keep_valid(kept.copies);
  keep_valid(kept.sets);
  keep_valid(kept.calls);
  keep_valid(kept.ranges);
  if (!is_valid_clock(kept.to_unix_ns)) kept.to_unix_ns = 0;
  return kept;
}

}  // namespace tacho
