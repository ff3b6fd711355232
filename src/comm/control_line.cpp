#include "comm/control_line.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace tacho {

void ControlLine::queue_line(const std::string& text) {
  if (!open() || mute_ || ending_) return;
  unsent_ += text;
  unsent_ += '\n';
}

void ControlLine::flush() {
  while (open() && !mute_ && has_unsent()) {
    const ssize_t sent =
        ::send(socket_.get(), unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent < 0) {
      mute_ = true;
      drop_unsent();
      return;
    }
    sent_ += static_cast<std::size_t>(sent);
    if (sent_ == unsent_.size()) drop_unsent();
  }
  if (open() && !mute_ && ending_) {
    mute_ = true;
    ::shutdown(socket_.get(), SHUT_WR);
  }
}

std::vector<Json> ControlLine::receive() {
  // So much at a time, lest one busy line keeps the others waiting.
  constexpr int kMostReads = 16;
  std::vector<std::string> lines;
  State after = State::open;
  for (int i = 0; i < kMostReads && open() && after == State::open; ++i) {
    std::array<char, 1 << 16> bytes;
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) {
      after = State::closed;
      break;
    }
    heard_ = Clock::now();
    if (!incoming_.feed({bytes.data(), static_cast<std::size_t>(got)}, lines)) {
      after = State::foreign;
    }
  }
  std::vector<Json> messages;
  for (const std::string& line : lines) {
    auto message = parse_json(line);
    if (!message.ok() || !message->is_object()) {
      after = State::foreign;
      break;
    }
    messages.push_back(std::move(*message));
  }
  if (after != State::open) {
    close();
    state_ = after;
  }
  return messages;
}

void ControlLine::close() {
  if (open()) state_ = State::closed;
  socket_.reset();
  drop_unsent();
}

void ControlLine::drop_unsent() {
  unsent_.clear();
  sent_ = 0;
}

}  // namespace tacho
