#include "cli/progress_line.h"

#include <fmt/format.h>

#include <cstdio>

namespace tacho {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenMarks = 1s;
constexpr auto kSpeedOver = 15s;
constexpr auto kTerminalInterval = 100ms;
constexpr auto kLogInterval = 2s;

std::string amount(Progress::Unit unit, std::int64_t count) {
  if (unit == Progress::Unit::bytes) return human(Bytes{count});
  return human_count(static_cast<double>(count)) + " files";
}

}  // namespace

void ProgressState::add(const Progress& progress, Time now) {
  last_ = progress;
  const std::int64_t made = progress.done - progress.found;
  // Marks are one second from each other; the last one is updated.
  if (recent_.size() < 2 || now - recent_[recent_.size() - 2].time >= kBetweenMarks) {
    recent_.push_back({now, made});
  } else {
    recent_.back() = {now, made};
  }
  while (recent_.size() > 2 && now - recent_.front().time > kSpeedOver) recent_.pop_front();
}

double ProgressState::per_second() const {
  if (recent_.size() < 2) return 0;
  const Seconds time = recent_.back().time - recent_.front().time;
  if (time.count() <= 0) return 0;
  return static_cast<double>(recent_.back().made - recent_.front().made) / time.count();
}

std::string ProgressState::line() const {
  const std::string done = last_.unit == Progress::Unit::bytes
                               ? human(Bytes{last_.done})
                               : human_count(static_cast<double>(last_.done));
  const double share =
      last_.total > 0 ? static_cast<double>(last_.done) / static_cast<double>(last_.total) : 1;
  std::string text =
      fmt::format("{} of {}  {}", done, amount(last_.unit, last_.total), human_share(share));
  const double speed = per_second();
  if (speed <= 0) return text;
  const double left = static_cast<double>(last_.total - last_.done) / speed;
  return fmt::format("{}  {}/s  {} left", text,
                     amount(last_.unit, static_cast<std::int64_t>(speed)),
                     human_clock(Seconds(left)));
}

void ProgressLine::show(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const auto pause = terminal_.interactive() ? ProgressState::Time::duration(kTerminalInterval)
                                             : ProgressState::Time::duration(kLogInterval);
  if (!begun_) {
    begun_ = true;
    state_.add(progress, now);
    next_ = now + pause;
  }
  if (now < next_) return;
  next_ = now + pause;
  state_.add(progress, now);
  if (!terminal_.interactive()) {
    fmt::print(stderr, "{}\n", state_.line());
    return;
  }
  std::string line = state_.line();
  const auto width = static_cast<std::size_t>(terminal_.columns() - 1);
  if (line.size() > width) line.resize(width);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tacho
