#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/run_clock.h"
#include "base/units.h"
#include "core/emit/json_lines_sink.h"
#include "core/record/run_folder.h"
#include "experiments/runner/event_tail.h"
#include "tracing/listen/figure_thinner.h"

namespace tacho {

// Names the run's folder to a watched program; the Python package writes its events there.
inline constexpr const char* kRunFolderVariable = "TACHO_RUN_FOLDER";

// Writes the events of a watched program: figures, thinned, and what its processes log through the
// Python package, in files of events in the run's folder.
class FigureLog {
 public:
  static Result<FigureLog> open(const RunFolder& folder, const RunClock& clock);

  // A full disk does not end the program; the record lacks what could not be written.
  void write(EventBody body);
  void add(std::vector<FiguresSeen> figures);
  // Reads what was logged since the last call, and writes figures that are due after `elapsed`.
  void look(Seconds elapsed);
  // Writes the rest at the end.
  void finish();

 private:
  FigureLog(std::filesystem::path logged, const RunClock& clock,
            std::unique_ptr<JsonLinesSink> events)
      : logged_(std::move(logged)), clock_(clock), events_(std::move(events)) {}
  bool read_logged();  // true if there was something
  void take(Event event);

  std::filesystem::path logged_;
  const RunClock& clock_;
  std::unique_ptr<JsonLinesSink> events_;
  std::map<std::filesystem::path, EventTail> tails_;
  std::set<std::filesystem::path> unreadable_;
  FigureThinner thinner_;
};

}  // namespace tacho
