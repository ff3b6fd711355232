#include "machine/comm/rendezvous_peer.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "machine/comm/greeting.h"

namespace tacho {

SocketPoll::SocketPoll() : wake_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_event_) broken_invariant("cannot create an eventfd");
}

void SocketPoll::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_event_.get(), &one, sizeof one);
}

void SocketPoll::clear() { sockets_.assign(1, {wake_event_.get(), POLLIN, 0}); }

void SocketPoll::watch(const UniqueFd& socket) { sockets_.push_back({socket.get(), POLLIN, 0}); }

void SocketPoll::watch(const ControlConnection& connection) {
  const int events = POLLIN | (connection.has_unsent() ? POLLOUT : 0);
  if (connection.open())
    sockets_.push_back({connection.socket().get(), static_cast<short>(events), 0});
}

void SocketPoll::wait_until(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  const int got =
      ::poll(sockets_.data(), sockets_.size(), static_cast<int>(std::clamp(left, 0L, 60000L)));
  if (got < 0) clear();  // interrupted by a signal: no socket is ready
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t woken = ::read(wake_event_.get(), &count, sizeof count);
}

bool SocketPoll::ready(const UniqueFd& socket) const {
  return std::any_of(sockets_.begin(), sockets_.end(), [&](const pollfd& entry) {
    return entry.fd == socket.get() && entry.revents != 0;
  });
}

RendezvousPeer::RendezvousPeer(RendezvousState& state, std::chrono::milliseconds timeout)
    : state_(state),
      timeout_(timeout),
      next_heartbeat_(Clock::now()),
      heartbeat_interval_(std::min(std::chrono::milliseconds(1000), timeout / 5)),
      last_run_(Clock::now()) {}

void RendezvousPeer::note_failure(const std::string& why) {
  std::function<void(const std::string&)> call;
  {
    const std::lock_guard lock(state_.mutex);
    if (state_.failure) return;
    state_.failure = why;
    call = std::exchange(state_.on_failure, nullptr);
  }
  state_.changed.notify_all();
  if (call) call(why);
}

std::optional<std::string> RendezvousPeer::failure() const {
  const std::lock_guard lock(state_.mutex);
  return state_.failure;
}

std::vector<std::string> RendezvousPeer::take_outbox() {
  const std::lock_guard lock(state_.mutex);
  return std::exchange(state_.outbox, {});
}

std::optional<std::string> RendezvousPeer::leaving() const {
  const std::lock_guard lock(state_.mutex);
  return state_.leaving;
}

void RendezvousPeer::collect(int from, Json message) {
  {
    const std::lock_guard lock(state_.mutex);
    state_.collected.at(static_cast<std::size_t>(from)).push_back(std::move(message));
  }
  state_.changed.notify_all();
}

void RendezvousPeer::note_post(const Json& message) {
  {
    const std::lock_guard lock(state_.mutex);
    state_.posted[text_of(message, "name")] = text_of(message, "text");
  }
  state_.changed.notify_all();
}

std::string RendezvousPeer::silence_message(const std::string& rank_name) const {
  return fmt::format("no message from {} for {}: its machine or the network is down", rank_name,
                     plain_seconds(timeout_));
}

bool RendezvousPeer::is_silent(const ControlConnection& connection) const {
  return connection.open() && Clock::now() - connection.last_received() >= timeout_;
}

bool RendezvousPeer::was_suspended() {
  const auto before = std::exchange(last_run_, Clock::now());
  return last_run_ - before > timeout_ / 2;
}

bool RendezvousPeer::heartbeat_due() {
  const auto now = Clock::now();
  if (now < next_heartbeat_) return false;
  next_heartbeat_ = now + heartbeat_interval_;
  return true;
}

std::string plain_seconds(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

}  // namespace tacho
