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
#include "machine/comm/control_connection.h"
#include "machine/comm/member.h"
#include "machine/comm/rendezvous.h"

namespace tacho {

// State shared by the owner of a Rendezvous and its thread. The mutex guards all fields.
struct RendezvousState {
  std::mutex mutex;
  std::condition_variable changed;
  // Written by the owner.
  std::vector<std::string> outbox;     // lines to rank 0; on rank 0: lines to all ranks
  std::optional<std::string> leaving;  // the reason; "" without failure
  std::function<void(const std::string&)> on_failure;
  // Written by the thread.
  std::optional<std::string> failure;
  std::vector<Rendezvous::Message> messages;  // received by rank 0
  std::vector<std::deque<Json>> collected;    // by rank: messages of collective calls
  std::map<std::string, std::string> posted;
  bool closed = false;  // no more messages will arrive
};

// Waits for several sockets, or for a call of wake().
class SocketPoll {
 public:
  using Clock = std::chrono::steady_clock;
  SocketPoll();
  void wake() const;  // from any thread
  void clear();
  void watch(const UniqueFd& socket);
  void watch(const ControlConnection& connection);
  void wait_until(Clock::time_point time);
  [[nodiscard]] bool ready(const UniqueFd& socket) const;

 private:
  UniqueFd wake_event_;
  std::vector<pollfd> sockets_;
};

// One rank's end of the rendezvous: RendezvousServer on rank 0, RendezvousClient on all others.
// meet() calls run_once() until all ranks are connected, then a thread does.
class RendezvousPeer {
 public:
  using Clock = std::chrono::steady_clock;

  RendezvousPeer(RendezvousState& state, std::chrono::milliseconds timeout);
  virtual ~RendezvousPeer() = default;
  RendezvousPeer(const RendezvousPeer&) = delete;
  RendezvousPeer& operator=(const RendezvousPeer&) = delete;

  // Waits for the next event and handles it.
  virtual void run_once() = 0;
  [[nodiscard]] virtual bool finished() const = 0;
  virtual void close() = 0;
  void wake() const { poll_.wake(); }

  // Empty until all ranks are connected.
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  // The reason why the ranks could not connect.
  [[nodiscard]] const std::optional<std::string>& refusal() const { return refusal_; }

 protected:
  // Limits the wait for the other side to close the connection.
  static constexpr auto kCloseTimeout = std::chrono::seconds(1);

  // Stores the first failure and notifies the owner.
  void note_failure(const std::string& why);
  [[nodiscard]] std::optional<std::string> failure() const;
  std::vector<std::string> take_outbox();
  [[nodiscard]] std::optional<std::string> leaving() const;
  void collect(int from, Json message);
  void note_post(const Json& message);

  [[nodiscard]] std::string silence_message(const std::string& rank_name) const;
  [[nodiscard]] bool is_silent(const ControlConnection& connection) const;
  // Returns true if this process itself was suspended, so that the silence of others means nothing.
  bool was_suspended();
  bool heartbeat_due();

  RendezvousState& state_;
  const std::chrono::milliseconds timeout_;
  SocketPoll poll_;
  std::vector<Member> members_;
  std::optional<std::string> refusal_;
  Clock::time_point next_heartbeat_;

 private:
  const std::chrono::milliseconds heartbeat_interval_;
  Clock::time_point last_run_;
};

std::string plain_seconds(std::chrono::milliseconds time);  // "15 s"

}  // namespace tacho
