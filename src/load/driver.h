#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "load/client.h"
#include "load/load_plan.h"
#include "load/window_log.h"
#include "load/zipf.h"

namespace tacho::load {

// One thread of a test: its share of the connections and of what is due.
//
// A request that is due while all connections are in use waits, and its time counts from when it
// was due. Those that wait are not stored: the next arrival is only looked at once there is a
// connection for it, so a server that falls behind costs no memory.
class Driver {
 public:
  // The plan and the log must outlive it.
  static Result<std::unique_ptr<Driver>> make(const LoadPlan& plan, Lane lane, WindowLog& log);

  // Until all that was due is answered or has timed out, or `stop` is set.
  void run(Clock::time_point start, const std::atomic<bool>& stop);

 private:
  // A client, and what epoll_ knows of it.
  struct Seat {
    Client client;
    unsigned connection = 0;
    std::uint32_t events = 0;
  };
  struct Resting {
    Seat* seat;
    Clock::time_point until;
  };

  Driver(const LoadPlan& plan, Lane lane, WindowLog& log);
  Result<void> connect(int count);

  void send_what_is_due(Clock::time_point now);
  void send(Seat& seat, Clock::time_point due, Clock::time_point now);
  void take(Seat& seat, Client::Outcome outcome);
  void count_answer(const Client& client, Clock::time_point now);
  void count_timeout();
  void fail(std::uint64_t Tally::*how, const std::string& words);
  void look_after(Clock::time_point now);
  void give_up(Clock::time_point now);
  void begin_window(Clock::time_point now);
  void watch(Seat& seat);
  void wait(Clock::time_point until);
  void next_arrival();
  const std::string& next_request();

  const LoadPlan& plan_;
  Lane lane_;
  WindowLog& log_;
  UniqueFd epoll_;
  std::deque<Seat> seats_;
  std::vector<Seat*> idle_;       // the last to be used is the first to be used again
  std::vector<Resting> resting_;  // their connection broke a moment ago
  std::unique_ptr<Arrivals> arrivals_;
  std::optional<Zipf> zipf_;
  Random random_;
  std::size_t in_order_ = 0;

  Clock::time_point start_;
  Clock::time_point end_;
  std::optional<Clock::time_point> due_;
  Clock::time_point all_in_use_;  // when that was last seen
  Clock::time_point looked_after_;
  std::size_t window_ = 0;  // the one being filled; those from end_ on are one
  Tally tally_;
  LatencyHistogram latency_;
  LatencyHistogram service_;
};

}  // namespace tacho::load
