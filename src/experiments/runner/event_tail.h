#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/event_log.h"

namespace tacho {

// Reads new events of an events.jsonl while the worker writes it.
class EventTail {
 public:
  // Skips the first `skip` bytes, which earlier attempts wrote.
  explicit EventTail(std::filesystem::path file, std::size_t skip = 0)
      : file_(std::move(file)), position_(skip) {}

  // Returns the events written since the last call, of about `most` bytes. A missing file has no
  // events.
  Result<std::vector<Event>> read_new(std::size_t most = std::string::npos);

 private:
  std::filesystem::path file_;
  std::size_t position_;
  EventParser parser_;
};

}  // namespace tacho
