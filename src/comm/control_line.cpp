#include "comm/control_line.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/hmac.h"

namespace tacho {
namespace {

constexpr std::size_t kMarkLength = 64;

std::string mark_of(const std::string& key, std::uint64_t number, std::string_view text) {
  return hmac_sha256_hex(key, fmt::format("{}\n{}", number, text));
}

}  // namespace

void ControlLine::seal(LineKeys keys) {
  keys_ = std::move(keys);
  incoming_.allow(kLongestMessage + kMarkLength);
}

std::optional<std::string_view> ControlLine::unsealed(std::string_view line) {
  if (!keys_) return line;
  if (line.size() < kMarkLength) return std::nullopt;
  const std::string_view text = line.substr(kMarkLength);
  const std::string expected = mark_of(keys_->incoming, lines_in_++, text);
  if (!equal_in_constant_time(line.substr(0, kMarkLength), expected)) return std::nullopt;
  return text;
}

void ControlLine::queue_line(const std::string& text) {
  if (!open() || mute_ || ending_) return;
  if (keys_) unsent_ += mark_of(keys_->outgoing, lines_out_++, text);
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
    const auto text = unsealed(line);
    auto message = parse_json(text.value_or(""));
    if (!text || !message.ok() || !message->is_object()) {
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
