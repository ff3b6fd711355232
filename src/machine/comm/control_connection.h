#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json_object.h"
#include "machine/comm/handshake.h"
#include "machine/comm/line_buffer.h"

namespace tacho {

// A proof is short; a message of a rank may contain the times of many steps.
inline constexpr std::size_t kLongestProof = 1024;
inline constexpr std::size_t kLongestMessage = std::size_t{64} << 20;

// One end of a connection that carries JSON messages, one per line. No call blocks.
//
// After seal(), every line starts with an HMAC over its text and its sequence number, so that
// forged, repeated and reordered lines are rejected.
class ControlConnection {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State {
    open,
    closed,   // by the other side
    invalid,  // the other side sent something that is not a valid message
  };

  explicit ControlConnection(UniqueFd socket)
      : socket_(std::move(socket)), incoming_(kLongestProof), last_received_(Clock::now()) {}

  [[nodiscard]] const UniqueFd& socket() const { return socket_; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool open() const { return state_ == State::open; }
  [[nodiscard]] Clock::time_point last_received() const { return last_received_; }
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  void reset_idle_time() { last_received_ = Clock::now(); }

  // Authenticates all further lines, in both directions.
  void seal(ConnectionKeys keys);
  void queue(const Json& message) { queue_line(json_text(message)); }
  void queue_line(const std::string& text);
  // Shuts down the sending direction once everything queued is sent.
  void queue_end() { ending_ = true; }
  void flush();  // sends as much as the socket accepts now

  // Returns the messages received since the last call. The first line that is not JSON, or whose
  // HMAC is wrong, makes the connection invalid.
  std::vector<Json> receive();
  void close();

 private:
  void drop_unsent();
  // Returns the text of a received line, or nothing if its HMAC is wrong.
  std::optional<std::string_view> verified(std::string_view line);

  UniqueFd socket_;
  LineBuffer incoming_;
  std::optional<ConnectionKeys> keys_;
  std::uint64_t lines_out_ = 0;  // since seal()
  std::uint64_t lines_in_ = 0;
  std::string unsent_;
  std::size_t sent_ = 0;  // bytes of unsent_ that are sent already
  bool ending_ = false;
  bool send_closed_ = false;  // received data can still be read
  State state_ = State::open;
  Clock::time_point last_received_;
};

}  // namespace tacho
