#include "serving/load/window_log.h"

namespace tacho::load {

Tally& Tally::operator+=(const Tally& other) {
  ok += other.ok;
  refused += other.refused;
  rejected += other.rejected;
  server_errors += other.server_errors;
  timeouts += other.timeouts;
  broken += other.broken;
  cached += other.cached;
  queued += other.queued;
  unanswered += other.unanswered;
  return *this;
}

void Window::merge(const Window& other) {
  tally += other.tally;
  latency = merged(latency, other.latency);
  service = merged(service, other.service);
}

void WindowLog::add(std::size_t number, const Window& window) {
  const std::lock_guard lock(mutex_);
  auto at = number / static_cast<std::size_t>(log_.length / kShortest);
  while (at >= kMaxWindows) {
    std::vector<Window> halved((log_.windows.size() + 1) / 2);
    for (std::size_t i = 0; i < log_.windows.size(); ++i) halved[i / 2].merge(log_.windows[i]);
    log_.windows = std::move(halved);
    log_.length *= 2;
    at /= 2;
  }
  if (at >= log_.windows.size()) log_.windows.resize(at + 1);
  log_.windows[at].merge(window);
}

void WindowLog::add_after(const Window& window) {
  const std::lock_guard lock(mutex_);
  log_.after.merge(window);
}

void WindowLog::note_first_failure(const std::string& words) {
  const std::lock_guard lock(mutex_);
  if (log_.first_failure.empty()) log_.first_failure = words;
}

WindowLog::Copy WindowLog::copy() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

}  // namespace tacho::load
