#pragma once

#include <string>

#include "base/terminal.h"
#include "core/record/event.h"
#include "serving/load/measure.h"
#include "serving/load/slo_search.h"

namespace tacho {

// Prints the results of a load test, one "name      text" per line.
std::string load_lines(const LoadMeasured& measured, const Terminal& terminal);

// Prints the rates that a search tried, lowest first, and its result as a sentence.
std::string search_table(const load::Search& search, const Terminal& terminal);
std::string search_sentence(const load::Search& search, const load::Slo& slo);

// Prints the course of a changing load in at most a dozen rows.
std::string course_table(const load::Measured& measured, const Terminal& terminal);

// "4.2 of 10 s  1,213 requests/s  p50 2.11 ms  p99 4.60 ms  3 failed"
std::string progress_words(const load::Progress& progress);

// Updates one line on standard error if it is a terminal.
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
