#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacho::serve {

// Something that took time. There are millions, so it holds no more than it must.
struct PlainSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t label = 0;
};

// Such a thing, or several too narrow to be told apart.
struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t busy_ns = 0;  // of all it stands for, added
  std::int32_t label = 0;    // of what took most of it
  std::int32_t count = 1;
  std::int64_t label_ns = busy_ns;  // what that took
};

// One line of a timeline: a stream's work, a thread's calls. It is kept in levels of detail, each
// made once of the one before, so that a view takes as long as the screen is wide, be there a
// hundred kernels or five million.
class TimelineTrack {
 public:
  TimelineTrack(std::string name, std::string_view kind, std::vector<PlainSpan> spans);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view kind() const { return kind_; }
  // What touches the window, in the order of its begin. What is narrower than a column is joined
  // with such neighbours.
  [[nodiscard]] std::vector<TimeSpan> view(std::int64_t begin_ns, std::int64_t end_ns,
                                           std::int64_t column_ns) const;

 private:
  template <class Span>
  struct Level {
    std::int64_t column_ns = 0;   // that its spans were joined by; 0: none were
    std::int64_t longest_ns = 0;  // so far before a window a span that reaches into it may begin
    std::vector<Span> spans;
  };
  template <class Span>
  static std::vector<TimeSpan> view_of(const Level<Span>& level, std::int64_t begin_ns,
                                       std::int64_t end_ns, std::int64_t column_ns);
  // The next level, if there is much less to look at.
  template <class Span>
  void add_level(const std::vector<Span>& finer, std::int64_t column_ns);

  std::string name_;
  std::string_view kind_;
  Level<PlainSpan> all_;
  std::vector<Level<TimeSpan>> joined_;  // the finest first
};

}  // namespace tacho::serve
