#pragma once

#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json_object.h"
#include "comm/control_line.h"
#include "comm/member.h"
#include "comm/rollcall.h"

namespace tacho {

// What a rank's owner and its watching thread have in common. The mutex guards all of it.
struct RollBoard {
  std::mutex mutex;
  std::condition_variable changed;
  // From the owner.
  std::vector<std::string> outbox;     // lines to rank 0; of rank 0, to everyone
  std::optional<std::string> leaving;  // why; "" is a good end
  std::function<void(const std::string&)> on_trouble;
  // From the watching thread.
  std::optional<std::string> trouble;
  std::vector<Rollcall::Message> told;      // rank 0's messages
  std::vector<std::deque<Json>> collected;  // by rank, what it said in collective calls
  std::map<std::string, std::string> posted;
  bool over = false;  // nothing will come any more
};

// Waits for several sockets at once, or until somebody calls wake().
class RollPoll {
 public:
  using Clock = std::chrono::steady_clock;
  RollPoll();
  void wake() const;  // from any thread
  void clear();
  void watch(const UniqueFd& socket);
  void watch(const ControlLine& line);
  void wait_until(Clock::time_point time);
  [[nodiscard]] bool ready(const UniqueFd& socket) const;

 private:
  UniqueFd alarm_;
  std::vector<pollfd> sockets_;
};

// One rank's view of the control line, driven by turn(): by meet() first, then by the watching
// thread. RollHub is rank 0's, RollSpoke that of every other.
class RollWatch {
 public:
  using Clock = std::chrono::steady_clock;

  RollWatch(RollBoard& board, std::chrono::milliseconds timeout);
  virtual ~RollWatch() = default;
  RollWatch(const RollWatch&) = delete;
  RollWatch& operator=(const RollWatch&) = delete;

  // Waits for something to happen, and deals with it.
  virtual void turn() = 0;
  [[nodiscard]] virtual bool finished() const = 0;
  virtual void close() = 0;
  void wake() const { poll_.wake(); }

  // Known once all ranks have met.
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  // Why they have not.
  [[nodiscard]] const std::optional<std::string>& refusal() const { return refusal_; }

 protected:
  // Rank 0 answers a goodbye by closing the line; how long one waits for that.
  static constexpr auto kParting = std::chrono::seconds(1);

  // Notes the first cause and tells the owner.
  void note_trouble(const std::string& why);
  [[nodiscard]] std::optional<std::string> trouble() const;
  std::vector<std::string> take_outbox();
  [[nodiscard]] std::optional<std::string> leaving() const;
  void collect(int from, Json message);
  void note_post(const Json& message);

  [[nodiscard]] std::string no_word_from(const std::string& whom) const;
  [[nodiscard]] bool silent(const ControlLine& line) const;
  // True if this process itself stood still, so that the silence of others means nothing.
  bool was_away();
  bool time_to_beat();

  RollBoard& board_;
  const std::chrono::milliseconds timeout_;
  RollPoll poll_;
  std::vector<Member> members_;
  std::optional<std::string> refusal_;
  Clock::time_point next_beat_;

 private:
  const std::chrono::milliseconds pace_;
  Clock::time_point last_turn_;
};

std::string plain_seconds(std::chrono::milliseconds time);  // "15 s"

}  // namespace tacho
