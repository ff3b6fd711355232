#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json_object.h"
#include "comm/line_buffer.h"

namespace tacho {

// A stranger's line is short; that of a rank may hold the times of many steps.
inline constexpr std::size_t kLongestGreeting = std::size_t{1} << 20;
inline constexpr std::size_t kLongestMessage = std::size_t{64} << 20;

// One end of a connection that carries JSON, a message a line. Nothing here waits.
class ControlLine {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State {
    open,
    closed,   // the other side is gone
    foreign,  // what came is not a message of ours
  };

  ControlLine(UniqueFd socket, std::size_t limit)
      : socket_(std::move(socket)), incoming_(limit), heard_(Clock::now()) {}

  [[nodiscard]] const UniqueFd& socket() const { return socket_; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool open() const { return state_ == State::open; }
  [[nodiscard]] Clock::time_point heard() const { return heard_; }
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  void allow(std::size_t limit) { incoming_.allow(limit); }
  void forgive_silence() { heard_ = Clock::now(); }

  void queue(const Json& message) { queue_line(json_text(message)); }
  void queue_line(const std::string& text);
  // After what is queued nothing follows: the other side then sees the end of the stream.
  void queue_end() { ending_ = true; }
  void flush();  // as much as the system takes now

  // What has come since. A line that is no JSON makes the rest foreign.
  std::vector<Json> receive();
  void close();

 private:
  void drop_unsent();

  UniqueFd socket_;
  LineBuffer incoming_;
  std::string unsent_;
  std::size_t sent_ = 0;  // of it
  bool ending_ = false;
  bool mute_ = false;  // nothing more can be sent; what came before may still be read
  State state_ = State::open;
  Clock::time_point heard_;
};

}  // namespace tacho
