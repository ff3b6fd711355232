#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/message.h"
#include "serve/answer.h"

namespace tacho::serve {

// For requests that take seconds: threads and a queue of their own, so that nothing quick waits
// behind them. Where the queue is full, a request is refused with 503. Any thread may ask.
class SlowLane {
 public:
  using Make = std::function<Answer(const http::Request&)>;

  SlowLane(int threads, std::size_t most_waiting);
  SlowLane(const SlowLane&) = delete;
  SlowLane& operator=(const SlowLane&) = delete;
  // As stop().
  ~SlowLane();

  // For questions: one that equals another that waits or is being answered gets the same answer.
  http::LaterHandler question(Make make);
  // For what each request does once.
  http::LaterHandler deed(Make make);
  // Ends after what is under way; what waits is not answered. Must come before the end of the
  // server that asks.
  void stop();

 private:
  struct Waiter {
    http::Request request;  // without its body
    http::Reply reply;
  };
  struct Job {
    std::string key;  // "" for a deed
    http::Request request;
    Make make;
    std::vector<Waiter> waiters;
  };
  void add(std::string key, http::Request request, const http::Reply& reply, const Make& make);
  void work(const std::stop_token& stopping);
  void carry_out(Job& job);

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Job>> waiting_;            // shared with `by_key_`
  std::map<std::string, std::shared_ptr<Job>> by_key_;  // questions that wait or are answered
  std::vector<std::jthread> threads_;                   // first to go
};

}  // namespace tacho::serve
