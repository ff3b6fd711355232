#pragma once

#include <chrono>
#include <string>

#include "base/file.h"
#include "serving/load/answer_reader.h"
#include "serving/load/target.h"

namespace tacho::load {

using Clock = std::chrono::steady_clock;

// A non-blocking connection with one request at a time. Its owner watches the socket and calls
// progress() when it can be read or written. Connects when there is something to send.
class Client {
 public:
  explicit Client(const Address& address) : address_(address) {}

  enum class Outcome { pending, answered, broken };
  struct PendingRequest {
    const std::string* request = nullptr;
    Clock::time_point due;
    Clock::time_point sent;
  };

  // Starts connecting before there is anything to send.
  Result<void> connect();
  // Sends `request`, which must outlive the answer. Must not be called while busy.
  Outcome send(const std::string& request, Clock::time_point due, Clock::time_point now);
  // Called when the socket can be read or written. When idle, `broken` means that the server has
  // closed the connection.
  Outcome progress();
  // Abandons the pending request and its connection.
  void abandon();

  [[nodiscard]] int fd() const { return fd_.get(); }  // -1 without a connection
  // Number of connections so far. A new socket may reuse the number of the last one.
  [[nodiscard]] unsigned connections() const { return connections_; }
  [[nodiscard]] bool busy() const { return pending_.request != nullptr; }
  // True if it waits for the connection or for room in the socket.
  [[nodiscard]] bool wants_to_write() const {
    return busy() && written_ < pending_.request->size();
  }
  [[nodiscard]] const PendingRequest& pending() const {
    return pending_;
  }  // the last one, when idle
  [[nodiscard]] const Answer& answer() const { return reader_.answer(); }

 private:
  Outcome write();
  Outcome read();
  Outcome done(Outcome outcome);

  Address address_;
  UniqueFd fd_;
  AnswerReader reader_;
  PendingRequest pending_;
  std::size_t written_ = 0;
  unsigned connections_ = 0;
};

}  // namespace tacho::load
