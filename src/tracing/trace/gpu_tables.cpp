#include "tracing/trace/gpu_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "tracing/trace/gpu_order.h"

namespace tacho {
namespace {

constexpr double kSecond = 1e-9;  // seconds per nanosecond

// Durations sorted into groups by counting: two passes, no map lookup per record.
class Groups {
 public:
  template <class Records, class GroupOf>
  Groups(const Records& records, std::size_t groups, GroupOf group_of) : begins_(groups + 1) {
    for (const auto& record : records) ++begins_[group_of(record) + 1];
    for (std::size_t g = 0; g < groups; ++g) begins_[g + 1] += begins_[g];
    durations_.resize(records.size());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (const auto& record : records) {
      durations_[next[group_of(record)]++] =
          std::max<std::int64_t>(0, record.end_ns - record.begin_ns);
    }
  }

  [[nodiscard]] std::span<std::int64_t> operator[](std::size_t group) {
    return std::span(durations_).subspan(begins_[group], begins_[group + 1] - begins_[group]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::int64_t> durations_;
};

double middle_of(std::span<std::int64_t> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  const auto upper = static_cast<double>(*half);
  if (values.size() % 2 == 1) return upper;
  return (upper + static_cast<double>(*std::max_element(values.begin(), half))) / 2;
}

// Reorders `durations`.
TimeRow row_of(std::string name, std::span<std::int64_t> durations) {
  TimeRow row;
  row.name = std::move(name);
  row.count = static_cast<std::int64_t>(durations.size());
  if (durations.empty()) return row;
  const auto n = static_cast<double>(durations.size());
  double total = 0;
  for (const std::int64_t value : durations) total += static_cast<double>(value);
  double squares = 0;
  for (const std::int64_t value : durations) {
    const double away = static_cast<double>(value) - total / n;
    squares += away * away;
  }
  const auto [least, most] = std::minmax_element(durations.begin(), durations.end());
  row.min_s = static_cast<double>(*least) * kSecond;
  row.max_s = static_cast<double>(*most) * kSecond;
  row.total_s = total * kSecond;
  row.mean_s = row.total_s / n;
  row.deviation_s = n > 1 ? std::sqrt(squares / (n - 1)) * kSecond : 0;
  row.median_s = middle_of(durations) * kSecond;
  return row;
}

template <class Row>
auto& time_of(Row& row) {
  if constexpr (requires { row.time; }) {
    return row.time;
  } else {
    return row;
  }
}

template <class Row>
void share_and_sort(std::vector<Row>& rows) {
  double total = 0;
  for (Row& row : rows) total += time_of(row).total_s;
  for (Row& row : rows) time_of(row).share = total > 0 ? time_of(row).total_s / total : 0;
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return time_of(a).total_s > time_of(b).total_s;
  });
}

// Two indices with the same name share one row of a table.
std::vector<std::size_t> first_of_its_name(const std::vector<NameFacts>& facts) {
  std::unordered_map<std::string_view, std::size_t> seen;
  std::vector<std::size_t> first(facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    first[i] = seen.try_emplace(facts[i].readable, i).first->second;
  }
  return first;
}

template <class Records, class Use>
void for_each_name(const Records& records, const std::vector<NameFacts>& facts,
                   const std::vector<std::size_t>& first, Use use) {
  Groups groups(records, facts.size(), [&](const auto& record) {
    return first[std::min<std::size_t>(record.name, facts.size() - 1)];
  });
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (auto durations = groups[i]; !durations.empty()) use(facts[i], durations);
  }
}

std::string direction_of(const CopyRecord& copy) {
  const char* pageable = copy.pageable ? " (pageable)" : "";
  switch (copy.kind) {
    case CopyKind::host_to_device:
      return std::string("host to device") + pageable;
    case CopyKind::device_to_host:
      return std::string("device to host") + pageable;
    case CopyKind::device_to_device:
      return "device to device";
    case CopyKind::peer:
      return "device to another device";
    case CopyKind::other:
      break;
  }
  return "other";
}

std::vector<CopyRow> copy_rows(const GpuTrace& trace, bool by_size) {
  struct Sum {
    const CopyRecord* one = nullptr;
    std::int64_t bytes = 0;
    std::vector<std::int64_t> durations;
  };
  std::map<std::tuple<CopyKind, bool, std::int64_t>, Sum> sums;
  for (const CopyRecord& copy : trace.copies) {
    Sum& sum = sums[{copy.kind, copy.pageable, by_size ? copy.bytes : 0}];
    sum.one = &copy;
    sum.bytes += copy.bytes;
    sum.durations.push_back(std::max<std::int64_t>(0, copy.end_ns - copy.begin_ns));
  }
  std::vector<CopyRow> rows;
  for (auto& [key, sum] : sums) {
    CopyRow row;
    row.direction = direction_of(*sum.one);
    row.bytes_each = by_size ? sum.one->bytes : 0;
    row.bytes = sum.bytes;
    row.time = row_of(row.direction, sum.durations);
    row.bytes_per_s = row.time.total_s > 0 ? static_cast<double>(row.bytes) / row.time.total_s : 0;
    rows.push_back(std::move(row));
  }
  share_and_sort(rows);
  return rows;
}

// A stream's records are ordered by begin time, so the union needs only its last end.
struct Busy {
  StreamRow row;
  std::int64_t busy_ns = 0;
  std::int64_t end_ns = INT64_MIN;

  void add(std::int64_t begin_ns, std::int64_t last_ns) {
    if (last_ns <= begin_ns) return;
    if (begin_ns > end_ns) end_ns = begin_ns;
    if (last_ns > end_ns) {
      busy_ns += last_ns - end_ns;
      end_ns = last_ns;
    }
  }
};

std::vector<StreamRow> stream_rows(const GpuTrace& trace) {
  std::unordered_map<std::uint64_t, Busy> streams;
  Busy* last = nullptr;  // cache: most records have the previous stream; map nodes do not move
  const auto at = [&](const auto& record) -> Busy& {
    if (last != nullptr && last->row.stream == record.stream && last->row.device == record.device) {
      return *last;
    }
    last = &streams[(std::uint64_t{record.device} << 32) | record.stream];
    last->row.device = record.device;
    last->row.stream = record.stream;
    return *last;
  };
  in_order_of_begin(
      trace,
      [&](std::size_t i) {
        const KernelRecord& kernel = trace.kernels[i];
        Busy& busy = at(kernel);
        ++busy.row.kernels;
        busy.add(kernel.begin_ns, kernel.end_ns);
      },
      [&](const CopyRecord& copy) {
        Busy& busy = at(copy);
        ++busy.row.copies;
        busy.add(copy.begin_ns, copy.end_ns);
      },
      [&](const SetRecord& set) { at(set).add(set.begin_ns, set.end_ns); });
  std::vector<StreamRow> rows;
  for (auto& [key, busy] : streams) {
    busy.row.busy_s = static_cast<double>(busy.busy_ns) * kSecond;
    rows.push_back(busy.row);
  }
  std::sort(rows.begin(), rows.end(), [](const StreamRow& a, const StreamRow& b) {
    return std::tuple(-a.busy_s, a.device, a.stream) < std::tuple(-b.busy_s, b.device, b.stream);
  });
  return rows;
}

}  // namespace

GpuTables gpu_tables(const GpuTrace& trace, const std::vector<NameFacts>& facts) {
  GpuTables tables;
  const auto first = first_of_its_name(facts);
  for_each_name(trace.kernels, facts, first, [&](const NameFacts& name, auto durations) {
    KernelRow row;
    row.time = row_of(name.readable, durations);
    row.kind = name.kind;
    row.tensor_cores = name.tensor_cores;
    tables.kernels.push_back(std::move(row));
  });
  for_each_name(trace.calls, facts, first, [&](const NameFacts& name, auto durations) {
    tables.calls.push_back(row_of(name.readable, durations));
  });
  for_each_name(trace.ranges, facts, first, [&](const NameFacts& name, auto durations) {
    tables.ranges.push_back(row_of(name.readable, durations));
  });
  share_and_sort(tables.kernels);
  share_and_sort(tables.calls);
  share_and_sort(tables.ranges);
  tables.copies = copy_rows(trace, false);
  tables.copies_by_size = copy_rows(trace, true);
  tables.streams = stream_rows(trace);
  return tables;
}

}  // namespace tacho
