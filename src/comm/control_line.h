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
#include "comm/handshake.h"
#include "comm/line_buffer.h"

namespace tacho {

// A proof is short; a rank's message may hold the times of many steps.
inline constexpr std::size_t kLongestProof = 1024;
inline constexpr std::size_t kLongestMessage = std::size_t{64} << 20;

// One end of a connection that carries JSON, a message a line. Nothing here waits.
//
// Once it is sealed, every line begins with a mark that only the other end can have made for just
// this line: it covers the text and its number in the order of lines.
class ControlLine {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State {
    open,
    closed,   // the other side is gone
    foreign,  // what came is not a message of ours
  };

  explicit ControlLine(UniqueFd socket)
      : socket_(std::move(socket)), incoming_(kLongestProof), heard_(Clock::now()) {}

  [[nodiscard]] const UniqueFd& socket() const { return socket_; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool open() const { return state_ == State::open; }
  [[nodiscard]] Clock::time_point heard() const { return heard_; }
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  void forgive_silence() { heard_ = Clock::now(); }

  // From the next line on, both ways.
  void seal(LineKeys keys);
  void queue(const Json& message) { queue_line(json_text(message)); }
  void queue_line(const std::string& text);
  // After what is queued nothing follows: the other side then sees the end of the stream.
  void queue_end() { ending_ = true; }
  void flush();  // as much as the system takes now

  // What has come since. A line that is no JSON, or lacks its mark, makes the rest foreign.
  std::vector<Json> receive();
  void close();

 private:
  void drop_unsent();
  // The text of a line that came; nothing where its mark is wrong.
  std::optional<std::string_view> unsealed(std::string_view line);

  UniqueFd socket_;
  LineBuffer incoming_;
  std::optional<LineKeys> keys_;
  std::uint64_t lines_out_ = 0;  // since it was sealed
  std::uint64_t lines_in_ = 0;
  std::string unsent_;
  std::size_t sent_ = 0;  // of it
  bool ending_ = false;
  bool mute_ = false;  // nothing more can be sent; what came before may still be read
  State state_ = State::open;
  Clock::time_point heard_;
};

}  // namespace tacho
