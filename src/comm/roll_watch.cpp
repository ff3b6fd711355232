#include "comm/roll_watch.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "comm/greeting.h"

namespace tacho {

RollPoll::RollPoll() : alarm_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!alarm_) broken_invariant("no descriptor is left for an eventfd");
}

void RollPoll::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = ::write(alarm_.get(), &one, sizeof one);
}

void RollPoll::clear() { sockets_.assign(1, {alarm_.get(), POLLIN, 0}); }

void RollPoll::watch(const UniqueFd& socket) { sockets_.push_back({socket.get(), POLLIN, 0}); }

void RollPoll::watch(const ControlLine& line) {
  const int events = POLLIN | (line.has_unsent() ? POLLOUT : 0);
  if (line.open()) sockets_.push_back({line.socket().get(), static_cast<short>(events), 0});
}

void RollPoll::wait_until(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  const int got =
      ::poll(sockets_.data(), sockets_.size(), static_cast<int>(std::clamp(left, 0L, 60000L)));
  if (got < 0) clear();  // a signal came: nobody is ready
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t woken = ::read(alarm_.get(), &count, sizeof count);
}

bool RollPoll::ready(const UniqueFd& socket) const {
  return std::any_of(sockets_.begin(), sockets_.end(), [&](const pollfd& entry) {
    return entry.fd == socket.get() && entry.revents != 0;
  });
}

RollWatch::RollWatch(RollBoard& board, std::chrono::milliseconds timeout)
    : board_(board),
      timeout_(timeout),
      next_beat_(Clock::now()),
      pace_(std::min(std::chrono::milliseconds(1000), timeout / 5)),
      last_turn_(Clock::now()) {}

void RollWatch::note_trouble(const std::string& why) {
  std::function<void(const std::string&)> call;
  {
    const std::lock_guard lock(board_.mutex);
    if (board_.trouble) return;
    board_.trouble = why;
    call = std::exchange(board_.on_trouble, nullptr);
  }
  board_.changed.notify_all();
  if (call) call(why);
}

std::optional<std::string> RollWatch::trouble() const {
  const std::lock_guard lock(board_.mutex);
  return board_.trouble;
}

std::vector<std::string> RollWatch::take_outbox() {
  const std::lock_guard lock(board_.mutex);
  return std::exchange(board_.outbox, {});
}

std::optional<std::string> RollWatch::leaving() const {
  const std::lock_guard lock(board_.mutex);
  return board_.leaving;
}

void RollWatch::collect(int from, Json message) {
  {
    const std::lock_guard lock(board_.mutex);
    board_.collected.at(static_cast<std::size_t>(from)).push_back(std::move(message));
  }
  board_.changed.notify_all();
}

void RollWatch::note_post(const Json& message) {
  {
    const std::lock_guard lock(board_.mutex);
    board_.posted[text_of(message, "name")] = text_of(message, "text");
  }
  board_.changed.notify_all();
}

std::string RollWatch::no_word_from(const std::string& whom) const {
  return fmt::format("no word from {} for {}: its machine or the network is gone", whom,
                     plain_seconds(timeout_));
}

bool RollWatch::silent(const ControlLine& line) const {
  return line.open() && Clock::now() - line.heard() >= timeout_;
}

bool RollWatch::was_away() {
  const auto before = std::exchange(last_turn_, Clock::now());
  return last_turn_ - before > timeout_ / 2;
}

bool RollWatch::time_to_beat() {
  const auto now = Clock::now();
  if (now < next_beat_) return false;
  next_beat_ = now + pace_;
  return true;
}

std::string plain_seconds(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

}  // namespace tacho
