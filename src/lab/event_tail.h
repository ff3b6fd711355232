#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "record/event_log.h"

namespace tacho {

// Follows an events.jsonl while its worker writes it.
class EventTail {
 public:
  // Starts behind the first `skip` bytes: what earlier attempts wrote.
  explicit EventTail(std::filesystem::path file, std::size_t skip = 0)
      : file_(std::move(file)), position_(skip) {}

  // What has been written since the last call. A file that is not there yet has nothing.
  Result<std::vector<Event>> read_new();

 private:
  std::filesystem::path file_;
  std::size_t position_;
  EventParser parser_;
};

}  // namespace tacho
