#include "serve/timeline_track.h"

#include <algorithm>
#include <span>

namespace tacho::serve {
namespace {

constexpr std::int64_t kFirstColumn = 1'000;  // a microsecond: few kernels are shorter
constexpr std::int64_t kColumnFactor = 4;
constexpr std::size_t kFewEnough = 4'000;

// Adds spans one after the other, joining those that a column could not show apart.
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

std::vector<TimeSpan> joined(std::span<const TimeSpan> spans, std::int64_t column_ns) {
  Joiner joiner(column_ns);
  for (const TimeSpan& span : spans) joiner.add(span);
  return joiner.take();
}

std::int64_t longest(std::span<const TimeSpan> spans) {
  std::int64_t most = 0;
  for (const TimeSpan& span : spans) most = std::max(most, span.end_ns - span.begin_ns);
  return most;
}

}  // namespace

TimelineTrack::TimelineTrack(std::string name, std::string_view kind, std::vector<TimeSpan> spans)
    : name_(std::move(name)), kind_(kind) {
  if (!std::ranges::is_sorted(spans, {}, &TimeSpan::begin_ns)) {
    std::ranges::stable_sort(spans, {}, &TimeSpan::begin_ns);
  }
  const std::int64_t extent = spans.empty() ? 0 : spans.back().end_ns - spans.front().begin_ns;
  levels_.push_back({0, longest(spans), std::move(spans)});
  for (std::int64_t column = kFirstColumn;
       column < extent && levels_.back().spans.size() > kFewEnough; column *= kColumnFactor) {
    std::vector<TimeSpan> coarser = joined(levels_.back().spans, column);
    if (coarser.size() * 2 > levels_.back().spans.size()) continue;  // hardly less to look at
    levels_.push_back({column, longest(coarser), std::move(coarser)});
  }
}

std::vector<TimeSpan> TimelineTrack::view(std::int64_t begin_ns, std::int64_t end_ns,
                                          std::int64_t column_ns) const {
  std::size_t at = levels_.size() - 1;
  while (levels_[at].column_ns > column_ns) --at;
  const Level& level = levels_[at];
  const auto first =
      std::ranges::lower_bound(level.spans, begin_ns - level.longest_ns, {}, &TimeSpan::begin_ns);
  const auto last = std::ranges::upper_bound(level.spans, end_ns, {}, &TimeSpan::begin_ns);
  Joiner joiner(column_ns);
  for (auto span = first; span < last; ++span) {
    if (span->end_ns >= begin_ns) joiner.add(*span);
  }
  return joiner.take();
}

}  // namespace tacho::serve
