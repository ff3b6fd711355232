#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacho::serve {

// One interval of a track. There are millions, so it is kept small.
struct PlainSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t label = 0;
};

// One span, or several that are too narrow to be drawn separately.
struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t busy_ns = 0;  // sum over all joined spans
  std::int32_t label = 0;    // with the largest share of busy_ns
  std::int32_t count = 1;
  std::int64_t label_ns = busy_ns;  // that share
};

// One line of a timeline: the work of a stream or the calls of a thread. Stored in levels of
// detail, each computed once from the one before, so that the cost of a view depends on the width
// of the screen and not on the number of kernels, be it a hundred or five million.
class TimelineTrack {
 public:
  TimelineTrack(std::string name, std::string_view kind, std::vector<PlainSpan> spans);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view kind() const { return kind_; }
  // The spans that overlap the window, ordered by begin. Neighbours narrower than a column are
  // joined.
  [[nodiscard]] std::vector<TimeSpan> view(std::int64_t begin_ns, std::int64_t end_ns,
                                           std::int64_t column_ns) const;

 private:
  template <class Span>
  struct Level {
    std::int64_t column_ns = 0;   // column width that its spans were joined with; 0: not joined
    std::int64_t longest_ns = 0;  // bounds how long before a window an overlapping span begins
    std::vector<Span> spans;
  };
  template <class Span>
  static std::vector<TimeSpan> view_of(const Level<Span>& level, std::int64_t begin_ns,
                                       std::int64_t end_ns, std::int64_t column_ns);
  // Adds the next level if it is at most half as large.
  template <class Span>
  void add_level(const std::vector<Span>& finer, std::int64_t column_ns);

  std::string name_;
  std::string_view kind_;
  Level<PlainSpan> all_;
  std::vector<Level<TimeSpan>> joined_;  // finest first
};

}  // namespace tacho::serve
