#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/event.h"

namespace tacho {

// Turns the bytes of a growing events.jsonl into events, as they arrive.
//
// A worker that is killed while writing leaves half a line. The next attempt starts on a new
// line, and so does the "end" written for the killed one: half a line is forgiven in front of
// those and at the end of the file; anything else that cannot be read is an error that names the
// line.
class EventParser {
 public:
  // The events completed by `bytes`.
  Result<std::vector<Event>> feed(std::string_view bytes);

 private:
  std::string rest_;
  std::string torn_;  // why the last line could not be read, until the next one excuses it
  std::size_t line_ = 0;
};

// All events of a finished or killed run. A missing file is a run that never began: no events.
Result<std::vector<Event>> read_events(const std::filesystem::path& file);

}  // namespace tacho
