#pragma once

#include <string>

#include "base/terminal.h"
#include "load/measure.h"
#include "load/slo_search.h"
#include "record/event.h"

namespace tacho {

// What a load test measured, a few lines of "name      text".
std::string load_lines(const LoadMeasured& measured, const Terminal& terminal);

// The rates that a search tried, the lowest first, and what follows from them in a sentence.
std::string search_table(const load::Search& search, const Terminal& terminal);
std::string search_sentence(const load::Search& search, const load::Slo& slo);

// How a load that changes went, in at most a dozen rows.
std::string course_table(const load::Measured& measured, const Terminal& terminal);

// "4.2 of 10 s  1,213 requests/s  p50 2.11 ms  p99 4.60 ms  3 failed"
std::string progress_words(const load::Progress& progress);

// Renews one line on standard error where someone looks at it.
class LoadLine {
 public:
  LoadLine(const Terminal& terminal, bool quiet)
      : terminal_(terminal), shows_(!quiet && terminal.interactive()) {}
  ~LoadLine() { clear(); }
  LoadLine(const LoadLine&) = delete;
  LoadLine& operator=(const LoadLine&) = delete;

  void show(const std::string& words);
  void clear();

 private:
  const Terminal& terminal_;
  bool shows_;
  bool shown_ = false;
};

}  // namespace tacho
