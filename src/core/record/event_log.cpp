#include "core/record/event_log.h"

#include <fmt/format.h>

#include "base/confined_file.h"

namespace tacho {
namespace {

// Returns true for events that follow a killed worker: the exit of its environment, the end written
// on its behalf, or the first lines of another attempt.
bool may_follow_a_partial_line(const Event& event) {
  return std::holds_alternative<RunStarted>(event.body) ||
         std::holds_alternative<RunEnded>(event.body) ||
         std::holds_alternative<EnvironmentExited>(event.body) ||
         std::holds_alternative<EnvironmentFacts>(event.body);
}

}  // namespace

Result<std::vector<Event>> EventParser::feed(std::string_view bytes) {
  rest_.append(bytes);
  std::vector<Event> events;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++line_;
    const std::string_view line = std::string_view(rest_).substr(begin, end - begin);
    if (line.empty()) continue;
    auto event = event_from_line(line);
    if (!partial_.empty() && !(event.ok() && may_follow_a_partial_line(*event))) {
      return Error{ErrorCode::invalid, partial_};
    }
    partial_.clear();
    if (event.ok()) {
      events.push_back(*std::move(event));
    } else if (event.error().code == ErrorCode::newer) {
      return event.error().in(fmt::format("line {}", line_));
    } else {
      partial_ = fmt::format("line {}: {}", line_, event.error().message);
    }
  }
  rest_.erase(0, begin);
  return events;
}

Result<std::vector<Event>> read_events(const std::filesystem::path& file) {
  const auto content = read_confined(file.parent_path(), file.filename());
  if (!content.ok() && content.error().code == ErrorCode::not_found) return std::vector<Event>{};
  if (!content.ok()) return content.error();
  return EventParser().feed(*content).in(file.string());
}

}  // namespace tacho
