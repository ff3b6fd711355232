#include "experiments/runner/figure_log.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/secrets.h"

namespace tacho {

namespace fs = std::filesystem;

Result<FigureLog> FigureLog::open(const RunFolder& folder, const RunClock& clock) {
  TACHO_TRY(events, JsonLinesSink::open(folder.events()));
  return FigureLog(folder.logged(), clock, std::move(events));
}

void FigureLog::write(EventBody body) {
  double now = clock_.now();
  if (auto* seen = std::get_if<FiguresSeen>(&body)) {
    now = std::exchange(seen->unix_seconds, std::nullopt).value_or(now);
  }
  (void)events_->write({now, std::move(body)}).ok();
}

void FigureLog::add(std::vector<FiguresSeen> figures) {
  for (FiguresSeen& seen : figures) {
    for (FiguresSeen& due : thinner_.add(std::move(seen))) write(std::move(due));
  }
}

// Ignores kinds of events that a program cannot know.
void FigureLog::take(Event event) {
  EventBody& body = event.body;
  if (auto* seen = std::get_if<FiguresSeen>(&body)) {
    seen->unix_seconds = event.unix_seconds;
    add({std::move(*seen)});
  } else if (auto* described = std::get_if<RunDescribed>(&body)) {
    for (auto& [name, value] : described->config) {
      if (names_a_secret(name)) value = kMasked;
    }
    write(std::move(body));
  } else if (std::holds_alternative<Note>(body) || std::holds_alternative<StepsFound>(body)) {
    write(std::move(body));
  }
}

bool FigureLog::read_logged() {
  constexpr std::size_t kMostBytes = 4 << 20;  // per call, to bound the memory
  bool any = false;
  std::error_code absent;
  if (!fs::is_directory(fs::symlink_status(logged_, absent))) return false;
  for (const auto& entry : fs::directory_iterator(logged_, absent)) {
    const fs::path& file = entry.path();
    if (unreadable_.contains(file)) continue;
    auto events = tails_.try_emplace(file, file).first->second.read_new(kMostBytes);
    if (!events.ok()) {
      unreadable_.insert(file);
      write(Note{events.error().message});
      continue;
    }
    any = any || !events->empty();
    for (Event& event : *events) take(std::move(event));
  }
  return any;
}

void FigureLog::look(Seconds elapsed) {
  read_logged();
  for (FiguresSeen& due : thinner_.tick(elapsed)) write(std::move(due));
}

void FigureLog::finish() {
  while (read_logged()) {
  }
  for (FiguresSeen& due : thinner_.finish()) write(std::move(due));
  if (const std::int64_t left_out = thinner_.left_out(); left_out > 0) {
    write(
        Note{fmt::format("it printed {} lines of figures; {} of them were dropped, but not the "
                         "last and the extremes",
                         thinner_.seen(), left_out)});
  }
}

}  // namespace tacho
