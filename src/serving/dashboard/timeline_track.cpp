#include "serving/dashboard/timeline_track.h"

#include <algorithm>
#include <span>

namespace tacho::serve {
namespace {

constexpr std::int64_t kFirstColumn = 1'000;  // one microsecond: few kernels are shorter
constexpr std::int64_t kColumnFactor = 4;
constexpr std::size_t kFewEnough = 4'000;

// Adds spans in order and joins those that would share a column.
class Joiner {
 public:
  explicit Joiner(std::int64_t column_ns) : column_ns_(column_ns) {}

  void add(const TimeSpan& span) {
    if (!joined_.empty() && belongs_to(joined_.back(), span)) {
      TimeSpan& last = joined_.back();
      last.end_ns = std::max(last.end_ns, span.end_ns);
      last.busy_ns += span.busy_ns;
      last.count += span.count;
      if (last.label == span.label) {
        last.label_ns += span.label_ns;
      } else if (span.label_ns > last.label_ns) {
        last.label = span.label;
        last.label_ns = span.label_ns;
      }
    } else {
      joined_.push_back(span);
    }
  }
  [[nodiscard]] std::size_t size() const { return joined_.size(); }
  std::vector<TimeSpan> take() { return std::move(joined_); }

 private:
  [[nodiscard]] bool is_narrow(const TimeSpan& span) const {
    return span.count > 1 || span.end_ns - span.begin_ns < column_ns_;
  }
  [[nodiscard]] bool belongs_to(const TimeSpan& last, const TimeSpan& span) const {
    return is_narrow(span) && is_narrow(last) && span.begin_ns - last.end_ns < column_ns_ &&
           span.end_ns - last.begin_ns < 2 * column_ns_;
  }

  std::int64_t column_ns_;
  std::vector<TimeSpan> joined_;
};

TimeSpan joinable(const PlainSpan& span) {
  return {span.begin_ns, span.end_ns, span.end_ns - span.begin_ns, span.label};
}
const TimeSpan& joinable(const TimeSpan& span) { return span; }

template <class Span>
std::int64_t longest(const std::vector<Span>& spans) {
  std::int64_t most = 0;
  for (const Span& span : spans) most = std::max(most, span.end_ns - span.begin_ns);
  return most;
}

// Starts with fewer columns than spans: finer columns would join almost nothing.
std::int64_t first_column(std::int64_t extent_ns, std::size_t spans) {
  std::int64_t column = kFirstColumn;
  while (column < extent_ns / static_cast<std::int64_t>(spans)) column *= kColumnFactor;
  return column;
}

}  // namespace

TimelineTrack::TimelineTrack(std::string name, std::string_view kind, std::vector<PlainSpan> spans)
    : name_(std::move(name)), kind_(kind) {
  if (!std::ranges::is_sorted(spans, {}, &PlainSpan::begin_ns)) {
    std::ranges::stable_sort(spans, {}, &PlainSpan::begin_ns);
  }
  all_.longest_ns = longest(spans);
  all_.spans = std::move(spans);
  if (all_.spans.size() <= kFewEnough) return;
  const std::int64_t extent = all_.spans.back().end_ns - all_.spans.front().begin_ns;
  for (std::int64_t column = first_column(extent, all_.spans.size()); column < extent;
       column *= kColumnFactor) {
    if (joined_.empty()) {
      add_level(all_.spans, column);
    } else if (joined_.back().spans.size() <= kFewEnough) {
      return;
    } else {
      add_level(joined_.back().spans, column);
    }
  }
}

template <class Span>
void TimelineTrack::add_level(const std::vector<Span>& finer, std::int64_t column_ns) {
  Joiner joiner(column_ns);
  for (const Span& span : finer) {
    joiner.add(joinable(span));
    if (joiner.size() * 2 > finer.size()) return;  // hardly smaller
  }
  std::vector<TimeSpan> coarser = joiner.take();
  const std::int64_t most = longest(coarser);
  joined_.push_back({column_ns, most, std::move(coarser)});
}

template <class Span>
std::vector<TimeSpan> TimelineTrack::view_of(const Level<Span>& level, std::int64_t begin_ns,
                                             std::int64_t end_ns, std::int64_t column_ns) {
  const auto first =
      std::ranges::lower_bound(level.spans, begin_ns - level.longest_ns, {}, &Span::begin_ns);
  const auto last = std::ranges::upper_bound(level.spans, end_ns, {}, &Span::begin_ns);
  Joiner joiner(column_ns);
  for (auto span = first; span < last; ++span) {
    if (span->end_ns >= begin_ns) joiner.add(joinable(*span));
  }
  return joiner.take();
}

std::vector<TimeSpan> TimelineTrack::view(std::int64_t begin_ns, std::int64_t end_ns,
                                          std::int64_t column_ns) const {
  const auto coarsest =
      std::find_if(joined_.rbegin(), joined_.rend(),
                   [&](const Level<TimeSpan>& level) { return level.column_ns <= column_ns; });
  if (coarsest == joined_.rend()) return view_of(all_, begin_ns, end_ns, column_ns);
  return view_of(*coarsest, begin_ns, end_ns, column_ns);
}

}  // namespace tacho::serve
