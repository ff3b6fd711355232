#include "serve/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "trace/kernel_class.h"

namespace tacho::serve {
namespace {

struct Window {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::int64_t column_ns;
};

// What stands on one line: a stream's work, a thread's calls. Records must come in the order of
// their begin.
class Track {
 public:
  Track(std::string name, std::string_view kind) : name_(std::move(name)), kind_(kind) {}

  void add(const Window& window, std::int64_t begin, std::int64_t end, int label) {
    if (end < window.begin_ns || begin > window.end_ns) return;
    const bool narrow = end - begin < window.column_ns;
    const bool joins = narrow && !spans_.empty() && spans_.back().narrow &&
                       begin - spans_.back().end < window.column_ns &&
                       end - spans_.back().begin < 2 * window.column_ns;
    if (!joins) {
      spans_.push_back({begin, end, label, 1, end - begin, narrow});
      return;
    }
    Span& span = spans_.back();
    span.end = std::max(span.end, end);
    span.busy += end - begin;
    ++span.count;
    if (span.label != label) span.label = -1;
  }

  [[nodiscard]] bool empty() const { return spans_.empty(); }
  [[nodiscard]] Json json(std::int64_t origin_ns) const {
    const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
    Json spans = Json::array();
    for (const Span& span : spans_) {
      spans.push_back(Json::array({seconds(span.begin - origin_ns), seconds(span.end - span.begin),
                                   span.label, span.count, seconds(span.busy)}));
    }
    return {{"name", name_}, {"kind", kind_}, {"spans", std::move(spans)}};
  }

 private:
  struct Span {
    std::int64_t begin;
    std::int64_t end;
    int label;  // -1: of several names
    std::int64_t count;
    std::int64_t busy;
    bool narrow;
  };
  std::string name_;
  std::string_view kind_;
  std::vector<Span> spans_;
};

// Names that are in use, each once.
class Labels {
 public:
  explicit Labels(const GpuTrace& trace) : trace_(trace) {}

  int kernel(std::uint32_t name) {
    return of(name, [&] {
      const std::string& text = name < trace_.names.size() ? trace_.names[name] : kUnknown;
      return Json{{"name", text}, {"class", kKernelClasses.of(class_of_kernel(text))}};
    });
  }
  int plain(std::uint32_t name, std::string_view kind) {
    return of((std::uint64_t{1} << 32) + name, [&] {
      return Json{{"name", name < trace_.names.size() ? trace_.names[name] : kUnknown},
                  {"class", kind}};
    });
  }
  int copy(const CopyRecord& copy) {
    constexpr std::array<std::string_view, 5> kKinds = {"copy", "host to device", "device to host",
                                                        "device to device", "between GPUs"};
    const auto kind = static_cast<std::size_t>(copy.kind);
    return of((std::uint64_t{2} << 32) + kind, [&] {
      return Json{{"name", kKinds.at(kind)}, {"class", "copy"}};
    });
  }
  [[nodiscard]] const Json& list() const { return list_; }

 private:
  inline static const std::string kUnknown = "?";

  template <class Make>
  int of(std::uint64_t key, const Make& make) {
    const auto [at, fresh] = index_.try_emplace(key, static_cast<int>(list_.size()));
    if (fresh) list_.push_back(make());
    return at->second;
  }

  const GpuTrace& trace_;
  std::unordered_map<std::uint64_t, int> index_;
  Json list_ = Json::array();
};

struct Extent {
  std::int64_t begin = INT64_MAX;
  std::int64_t end = INT64_MIN;
};

// In Unix time, so that processes stand beside each other as they ran.
Extent extent_of(const RunTraces& run) {
  Extent extent;
  for (const GpuTrace& trace : run.traces) {
    const auto cover = [&](const auto& records) {
      for (const auto& record : records) {
        extent.begin = std::min(extent.begin, record.begin_ns + trace.to_unix_ns);
        extent.end = std::max(extent.end, record.end_ns + trace.to_unix_ns);
      }
    };
    cover(trace.kernels);
    cover(trace.copies);
    cover(trace.calls);
  }
  return extent;
}

Json process_json(const GpuTrace& trace, const FoundSteps& steps, const Window& unix_window,
                  std::int64_t origin_unix_ns) {
  const Window window{unix_window.begin_ns - trace.to_unix_ns,
                      unix_window.end_ns - trace.to_unix_ns, unix_window.column_ns};
  const std::int64_t origin = origin_unix_ns - trace.to_unix_ns;
  Labels labels(trace);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Track> kernels;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Track> copies;
  std::map<std::uint32_t, Track> calls;
  std::map<std::uint32_t, Track> ranges;
  for (const KernelRecord& record : trace.kernels) {
    if (record.begin_ns > window.end_ns) break;
    const std::pair place(record.device, record.stream);
    auto& track =
        kernels
            .try_emplace(place, fmt::format("GPU {} stream {}", place.first, place.second),
                         "kernels")
            .first->second;
    track.add(window, record.begin_ns, record.end_ns, labels.kernel(record.name));
  }
  for (const CopyRecord& record : trace.copies) {
    const std::pair place(record.device, record.stream);
    auto& track =
        copies
            .try_emplace(place, fmt::format("GPU {} copies, stream {}", place.first, place.second),
                         "copies")
            .first->second;
    track.add(window, record.begin_ns, record.end_ns, labels.copy(record));
  }
  for (const CallRecord& record : trace.calls) {
    auto& track =
        calls.try_emplace(record.thread, fmt::format("thread {} calls", record.thread), "calls")
            .first->second;
    track.add(window, record.begin_ns, record.end_ns, labels.plain(record.name, "call"));
  }
  for (const RangeRecord& record : trace.ranges) {
    auto& track =
        ranges.try_emplace(record.thread, fmt::format("thread {} ranges", record.thread), "ranges")
            .first->second;
    track.add(window, record.begin_ns, record.end_ns, labels.plain(record.name, "range"));
  }
  Json tracks = Json::array();
  const auto add_tracks = [&](const auto& all) {
    for (const auto& [place, track] : all) {
      if (!track.empty()) tracks.push_back(track.json(origin));
    }
  };
  add_tracks(kernels);
  add_tracks(copies);
  add_tracks(ranges);
  add_tracks(calls);
  Json begins = Json::array();
  for (const std::int64_t begin : steps.begins_ns) {
    if (begin < window.begin_ns || begin > window.end_ns) continue;
    begins.push_back(static_cast<double>(begin - origin) * 1e-9);
    if (begins.size() > 2000) break;
  }
  return {{"process", trace.process},
          {"program", trace.program},
          {"kernel_count", trace.kernels.size()},
          {"labels", labels.list()},
          {"steps", std::move(begins)},
          {"tracks", std::move(tracks)}};
}

}  // namespace

Json timeline_json(const RunTraces& run, const TimelineAsked& asked) {
  const Extent extent = extent_of(run);
  Json json = {{"span_s", 0.0}, {"from", 0.0}, {"to", 0.0}, {"processes", Json::array()}};
  if (extent.begin > extent.end) return json;
  const double span = static_cast<double>(extent.end - extent.begin) * 1e-9;
  const double from = std::clamp(asked.from_s.value_or(0), 0.0, span);
  const double to = std::clamp(asked.to_s.value_or(span), from, span);
  const auto at = [&](double seconds) {
    return extent.begin + static_cast<std::int64_t>(seconds * 1e9);
  };
  const Window window{at(from), at(to),
                      std::max<std::int64_t>(1, (at(to) - at(from)) / asked.columns)};
  json["span_s"] = span;
  json["from"] = from;
  json["to"] = to;
  for (std::size_t i = 0; i < run.traces.size(); ++i) {
    json["processes"].push_back(process_json(run.traces[i], run.steps[i], window, extent.begin));
  }
  return json;
}

}  // namespace tacho::serve
