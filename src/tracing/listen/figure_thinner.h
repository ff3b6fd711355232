#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "core/record/event.h"

namespace tacho {

// Selects which figures of a program are recorded, so that it may print for weeks. Lines with the
// same names from the same source are one series. Of each series, the first few thousand lines are
// recorded, then every second line for as many again, then every fourth, and so on; in addition the
// lines with the lowest and the highest value of every name, and always the last line.
//
// Memory is bounded, and the recorded lines grow with the logarithm of the printed ones. The
// selection depends only on the lines, except for those that tick() adds.
class FigureThinner {
 public:
  // Adds a line and returns the lines to record now, in order.
  std::vector<FiguresSeen> add(FiguresSeen seen);
  // Returns the last line of every series, if it was not recorded. `elapsed` is the time since the
  // start of the run: a tacho process that is killed loses figures of a second, later of up to a
  // minute.
  std::vector<FiguresSeen> tick(Seconds elapsed);
  // Returns the remaining lines at the end.
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
    std::int64_t next = 0;  // number of the next line
    std::map<std::string, Extremes> extremes;
    std::map<std::int64_t, FiguresSeen> unwritten;  // the last line, and those with an extreme
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
