#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "record/event.h"

namespace tacho {

// Chooses which of the figures that a program prints are written down, so that a program may print
// for weeks. Lines with the same names from the same source are one series. Of each series the
// first few thousand are written, then every second for as long again, then every fourth, and so
// on; beside them the line with the lowest and the highest value of every name, and always the
// last.
//
// Memory is bounded, and what is written grows with the logarithm of what is printed. The choice
// depends on the lines alone, but for the ones that tick() adds.
class FigureThinner {
 public:
  // What is to be written now that `seen` has come; in order.
  std::vector<FiguresSeen> add(FiguresSeen seen);
  // So far into the run: the last line of every series, if it was not written. A tacho that is
  // killed loses a second of figures, later in a long run up to a minute.
  std::vector<FiguresSeen> tick(Seconds elapsed);
  // What is left at the end.
  std::vector<FiguresSeen> finish();

  [[nodiscard]] std::int64_t seen() const { return seen_; }
  [[nodiscard]] std::int64_t left_out() const { return seen_ - written_; }

 private:
  struct Extremes {
    double low;
    double high;
    std::int64_t low_at;
    std::int64_t high_at;
  };
  struct Series {
    std::int64_t next = 0;  // number of the line to come
    std::map<std::string, Extremes> extremes;
    std::map<std::int64_t, FiguresSeen> unwritten;  // the last, and those that hold an extreme
  };
  Series& series_of(const FiguresSeen& seen);
  [[nodiscard]] std::int64_t stride_at(std::int64_t index) const;
  void flush(Series& series, std::vector<FiguresSeen>& out);
  std::vector<FiguresSeen> flush_all();

  std::map<std::string, Series> series_;
  Seconds next_tick_{1};
  std::int64_t seen_ = 0;
  std::int64_t written_ = 0;
};

}  // namespace tacho
