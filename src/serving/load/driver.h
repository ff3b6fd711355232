#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "serving/load/client.h"
#include "serving/load/load_plan.h"
#include "serving/load/window_log.h"
#include "serving/load/zipf.h"

namespace tacho::load {

// One thread of a test, with its share of the connections and requests.
//
// A request that is due while all connections are in use waits, and its latency counts from the
// time it was due. Waiting requests are not stored: the next arrival is generated only when there
// is a connection for it, so a server that falls behind costs no memory.
class Driver {
 public:
  // The plan and the log must outlive the driver.
  static Result<std::unique_ptr<Driver>> make(const LoadPlan& plan, Lane lane, WindowLog& log);

  // Runs until all due requests were answered or timed out, or `stop` is set.
  void run(Clock::time_point start, const std::atomic<bool>& stop);

 private:
  // A client with its state in epoll_.
  struct ClientSlot {
    Client client;
    unsigned connection = 0;
    std::uint32_t events = 0;
  };
  struct Resting {
    ClientSlot* slot;
    Clock::time_point until;
  };

  Driver(const LoadPlan& plan, Lane lane, WindowLog& log);
  Result<void> connect(int count);

  void send_due(Clock::time_point now);
  void send(ClientSlot& slot, Clock::time_point due, Clock::time_point now);
  void take(ClientSlot& slot, Client::Outcome outcome);
  void count_answer(const Client& client, Clock::time_point now);
  void count_timeout();
  void fail(std::uint64_t Tally::*how, const std::string& words);
  void check_timeouts(Clock::time_point now);
  void count_unanswered(Clock::time_point now);
  void begin_window(Clock::time_point now);
  void watch(ClientSlot& slot);
  void wait(Clock::time_point until);
  void next_arrival();
  const std::string& next_request();

  const LoadPlan& plan_;
  Lane lane_;
  WindowLog& log_;
  UniqueFd epoll_;
  std::deque<ClientSlot> slots_;
  std::vector<ClientSlot*> idle_;  // last in, first out
  std::vector<Resting> resting_;   // broken connections that wait before they reconnect
  std::unique_ptr<Arrivals> arrivals_;
  std::optional<Zipf> zipf_;
  Random random_;
  std::size_t in_order_ = 0;

  Clock::time_point start_;
  Clock::time_point end_;
  std::optional<Clock::time_point> due_;
  Clock::time_point all_in_use_;  // the last time that all connections were in use
  Clock::time_point last_check_;
  std::size_t window_ = 0;  // current window; all windows from end_ on are one
  Tally tally_;
  LatencyHistogram latency_;
  LatencyHistogram service_;
};

}  // namespace tacho::load
