#include "machine/comm/control_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/hmac.h"

namespace tacho {
namespace {

constexpr std::size_t kMacLength = 64;

std::string mac_of(const std::string& key, std::uint64_t number, std::string_view text) {
  return hmac_sha256_hex(key, fmt::format("{}\n{}", number, text));
}

}  // namespace

void ControlConnection::seal(ConnectionKeys keys) {
  keys_ = std::move(keys);
  incoming_.set_limit(kLongestMessage + kMacLength);
}

std::optional<std::string_view> ControlConnection::verified(std::string_view line) {
  if (!keys_) return line;
  if (line.size() < kMacLength) return std::nullopt;
  const std::string_view text = line.substr(kMacLength);
  const std::string expected = mac_of(keys_->incoming, lines_in_++, text);
  if (!equal_in_constant_time(line.substr(0, kMacLength), expected)) return std::nullopt;
  return text;
}

void ControlConnection::queue_line(const std::string& text) {
  if (!open() || send_closed_ || ending_) return;
  if (keys_) unsent_ += mac_of(keys_->outgoing, lines_out_++, text);
  unsent_ += text;
  unsent_ += '\n';
}

void ControlConnection::flush() {
  while (open() && !send_closed_ && has_unsent()) {
    const ssize_t sent =
        ::send(socket_.get(), unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent < 0) {
      send_closed_ = true;
      drop_unsent();
      return;
    }
    sent_ += static_cast<std::size_t>(sent);
    if (sent_ == unsent_.size()) drop_unsent();
  }
  if (open() && !send_closed_ && ending_) {
    send_closed_ = true;
    ::shutdown(socket_.get(), SHUT_WR);
  }
}

std::vector<Json> ControlConnection::receive() {
  // Limits the reads, so that one busy connection does not starve the others.
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
    last_received_ = Clock::now();
    if (!incoming_.feed({bytes.data(), static_cast<std::size_t>(got)}, lines)) {
      after = State::invalid;
    }
  }
  std::vector<Json> messages;
  for (const std::string& line : lines) {
    const auto text = verified(line);
    auto message = parse_json(text.value_or(""));
    if (!text || !message.ok() || !message->is_object()) {
      after = State::invalid;
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

void ControlConnection::close() {
  if (open()) state_ = State::closed;
  socket_.reset();
  drop_unsent();
}

void ControlConnection::drop_unsent() {
  unsent_.clear();
  sent_ = 0;
}

}  // namespace tacho
