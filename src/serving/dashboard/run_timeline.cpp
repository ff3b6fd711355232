#include "serving/dashboard/run_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "base/huge_pages.h"
#include "tracing/trace/kernel_class.h"

namespace tacho::serve {
namespace {

constexpr std::size_t kMaxSteps = 2000;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

// The spans of one kind of record, one list per line. Neighbours are mostly on the same line, so
// the last line is tried first.
template <class Place>
class Lines {
 public:
  // Counts all records first, so that no list is copied as it grows.
  template <class Record, class PlaceOf>
  Lines(const std::vector<Record>& records, PlaceOf place_of) {
    std::map<Place, std::size_t> counts;
    std::size_t* count = nullptr;
    for (const Record& record : records) {
      const Place place = place_of(record);
      if (count == nullptr || place != last_place_) count = &counts[place];
      last_place_ = place;
      ++*count;
    }
    for (const auto& [place, size] : counts) reserve_in_huge_pages(lines_[place], size);
  }
  std::vector<PlainSpan>& at(const Place& place) {
    if (last_ == nullptr || place != last_place_) {
      last_ = &lines_[place];
      last_place_ = place;
    }
    return *last_;
  }
  auto begin() { return lines_.begin(); }
  auto end() { return lines_.end(); }

 private:
  std::map<Place, std::vector<PlainSpan>> lines_;
  std::vector<PlainSpan>* last_ = nullptr;
  Place last_place_{};
};

using Stream = std::pair<std::uint32_t, std::uint32_t>;

}  // namespace

ProcessTimeline::ProcessTimeline(const GpuTrace& trace)
    : process_(trace.process),
      program_(trace.program),
      kernel_count_(trace.kernels.size()),
      to_unix_ns_(trace.to_unix_ns) {
  const std::int64_t shift = trace.to_unix_ns;
  // Labels of kernels, copies, calls and ranges, each indexed by the number of the name.
  const auto new_labels = [&] { return std::vector<std::int32_t>(trace.names.size() + 8, -1); };
  const auto label = [&](std::vector<std::int32_t>& known, std::uint32_t number, const auto& make) {
    std::int32_t& its = known.at(std::min<std::size_t>(number, known.size() - 1));
    if (its < 0) {
      its = static_cast<std::int32_t>(labels_.size());
      labels_.push_back(make());
    }
    return its;
  };
  const auto name_of = [&](std::uint32_t name) {
    return name < trace.names.size() ? trace.names[name] : std::string("?");
  };
  const auto span_of = [&](const auto& record, std::int32_t its_label) {
    begin_ns_ = std::min(begin_ns_, record.begin_ns + shift);
    end_ns_ = std::max(end_ns_, record.end_ns + shift);
    return PlainSpan{record.begin_ns + shift, record.end_ns + shift, its_label};
  };

  const auto stream_of = [](const auto& record) { return Stream(record.device, record.stream); };
  const auto thread_of = [](const auto& record) { return record.thread; };
  auto kernel_labels = new_labels();
  Lines<Stream> kernels(trace.kernels, stream_of);
  for (const KernelRecord& record : trace.kernels) {
    const auto its = label(kernel_labels, record.name, [&] {
      const std::string name = name_of(record.name);
      return Label{name, kKernelClasses.of(class_of_kernel(name))};
    });
    kernels.at(stream_of(record)).push_back(span_of(record, its));
  }
  auto copy_labels = new_labels();
  Lines<Stream> copies(trace.copies, stream_of);
  for (const CopyRecord& record : trace.copies) {
    constexpr std::array<std::string_view, 5> kKinds = {"copy", "host to device", "device to host",
                                                        "device to device", "between GPUs"};
    const auto kind = static_cast<std::uint32_t>(record.kind);
    const auto its = label(copy_labels, kind, [&] {
      return Label{std::string(kKinds.at(kind)), "copy"};
    });
    copies.at(stream_of(record)).push_back(span_of(record, its));
  }
  auto range_labels = new_labels();
  Lines<std::uint32_t> ranges(trace.ranges, thread_of);
  for (const RangeRecord& record : trace.ranges) {
    const auto its = label(range_labels, record.name, [&] {
      return Label{name_of(record.name), "range"};
    });
    ranges.at(record.thread).push_back(span_of(record, its));
  }
  auto call_labels = new_labels();
  Lines<std::uint32_t> calls(trace.calls, thread_of);
  for (const CallRecord& record : trace.calls) {
    const auto its = label(call_labels, record.name, [&] {
      return Label{name_of(record.name), "call"};
    });
    calls.at(record.thread).push_back(span_of(record, its));
  }

  const auto add = [&](std::string name, std::string_view kind, std::vector<PlainSpan>& spans) {
    tracks_.emplace_back(std::move(name), kind, std::move(spans));
  };
  for (auto& [place, spans] : kernels) {
    add(fmt::format("GPU {} stream {}", place.first, place.second), "kernels", spans);
  }
  for (auto& [place, spans] : copies) {
    add(fmt::format("GPU {} copies, stream {}", place.first, place.second), "copies", spans);
  }
  for (auto& [thread, spans] : ranges)
    add(fmt::format("thread {} ranges", thread), "ranges", spans);
  for (auto& [thread, spans] : calls) add(fmt::format("thread {} calls", thread), "calls", spans);
}

void ProcessTimeline::mark(const FoundSteps& steps) {
  for (const std::int64_t begin : steps.begins_ns) steps_ns_.push_back(begin + to_unix_ns_);
}

Json ProcessTimeline::json(std::int64_t from_ns, std::int64_t to_ns, std::int64_t column_ns,
                           std::int64_t origin_ns) const {
  // Only the names in view, each once.
  std::unordered_map<std::int32_t, std::size_t> in_view;
  Json labels = Json::array();
  const auto shown = [&](std::int32_t label) {
    const auto [at, fresh] = in_view.try_emplace(label, labels.size());
    if (fresh) {
      const Label& its = labels_.at(static_cast<std::size_t>(label));
      labels.push_back({{"name", its.name}, {"class", its.kind}});
    }
    return at->second;
  };
  Json tracks = Json::array();
  for (const TimelineTrack& track : tracks_) {
    Json spans = Json::array();
    for (const TimeSpan& span : track.view(from_ns, to_ns, column_ns)) {
      spans.push_back(
          Json::array({seconds(span.begin_ns - origin_ns), seconds(span.end_ns - span.begin_ns),
                       shown(span.label), span.count, seconds(span.busy_ns)}));
    }
    if (spans.empty()) continue;
    tracks.push_back({{"name", track.name()}, {"kind", track.kind()}, {"spans", std::move(spans)}});
  }
  Json steps = Json::array();
  for (auto step = std::ranges::lower_bound(steps_ns_, from_ns);
       step != steps_ns_.end() && *step <= to_ns && steps.size() <= kMaxSteps; ++step) {
    steps.push_back(seconds(*step - origin_ns));
  }
  return {{"process", process_},           {"program", program_},
          {"kernel_count", kernel_count_}, {"labels", std::move(labels)},
          {"steps", std::move(steps)},     {"tracks", std::move(tracks)}};
}

Json timeline_json(const std::vector<ProcessTimeline>& run, const TimelineQuery& query) {
  std::int64_t begin = INT64_MAX;
  std::int64_t end = INT64_MIN;
  for (const ProcessTimeline& process : run) {
    begin = std::min(begin, process.begin_ns());
    end = std::max(end, process.end_ns());
  }
  Json json = {{"span_s", 0.0}, {"from", 0.0}, {"to", 0.0}, {"processes", Json::array()}};
  if (begin > end) return json;
  const double span = seconds(end - begin);
  const double from = std::clamp(query.from_s.value_or(0), 0.0, span);
  const double to = std::clamp(query.to_s.value_or(span), from, span);
  const auto at = [&](double s) { return begin + static_cast<std::int64_t>(s * 1e9); };
  const std::int64_t column = std::max<std::int64_t>(1, (at(to) - at(from)) / query.columns);
  json["span_s"] = span;
  json["from"] = from;
  json["to"] = to;
  for (const ProcessTimeline& process : run) {
    json["processes"].push_back(process.json(at(from), at(to), column, begin));
  }
  return json;
}

}  // namespace tacho::serve
