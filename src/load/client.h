#pragma once

#include <chrono>
#include <string>

#include "base/file.h"
#include "load/answer_reader.h"
#include "load/target.h"

namespace tacho::load {

using Clock = std::chrono::steady_clock;

// One connection that carries one request at a time, and never waits: its owner watches its socket
// and calls progress() when it may read or write. It connects when there is something to send.
class Client {
 public:
  explicit Client(const Address& address) : address_(address) {}

  enum class Outcome { pending, answered, broken };
  struct Errand {
    const std::string* request = nullptr;
    Clock::time_point due;
    Clock::time_point sent;
  };

  // Begins to connect before there is anything to send.
  Result<void> connect();
  // Sends `request`, which must outlive the errand. Not while it is busy.
  Outcome send(const std::string& request, Clock::time_point due, Clock::time_point now);
  // The socket can be read or written. While it is idle: `broken` when the server has closed.
  Outcome progress();
  // Leaves an errand or a connection that is of no use any more.
  void abandon();

  [[nodiscard]] int fd() const { return fd_.get(); }  // -1 without a connection
  // How many it has had. A new socket may have the number of the last.
  [[nodiscard]] unsigned connections() const { return connections_; }
  [[nodiscard]] bool busy() const { return errand_.request != nullptr; }
  // Waits to write: for its connection, or for room in the socket.
  [[nodiscard]] bool wants_to_write() const { return busy() && written_ < errand_.request->size(); }
  [[nodiscard]] const Errand& errand() const { return errand_; }  // the last one, when idle
  [[nodiscard]] const Answer& answer() const { return reader_.answer(); }

 private:
  Outcome write();
  Outcome read();
  Outcome done(Outcome outcome);

  Address address_;
  UniqueFd fd_;
  AnswerReader reader_;
  Errand errand_;
  std::size_t written_ = 0;
  unsigned connections_ = 0;
};

}  // namespace tacho::load
