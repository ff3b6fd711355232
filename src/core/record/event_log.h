#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/event.h"

namespace tacho {

// Parses a growing events.jsonl incrementally.
//
// A worker that is killed while writing leaves a partial line. The next attempt starts on a new
// line, and so does the "end" written for the killed worker: a partial line is ignored before those
// and at the end of the file. Any other unreadable line is an error that names the line.
class EventParser {
 public:
  // Returns the events completed by `bytes`.
  Result<std::vector<Event>> feed(std::string_view bytes);

 private:
  std::string rest_;
  std::string partial_;  // error of the last line, which the next line may make acceptable
  std::size_t line_ = 0;
};

// Reads all events of a finished or killed run. A missing file means that the run never began: no
// events.
Result<std::vector<Event>> read_events(const std::filesystem::path& file);

}  // namespace tacho
