#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serving/dashboard/answer.h"
#include "serving/http/message.h"

namespace tacho::serve {

// Runs requests that take seconds on separate threads with a separate queue, so that quick requests
// do not wait for them. Refuses requests with 503 while the queue is full. Thread-safe.
class SlowLane {
 public:
  using Make = std::function<Answer(const http::Request&)>;

  SlowLane(int threads, std::size_t most_waiting);
  SlowLane(const SlowLane&) = delete;
  SlowLane& operator=(const SlowLane&) = delete;
  ~SlowLane();

  // For requests without side effects: a request that equals a queued or running one gets the same
  // answer.
  http::AsyncHandler query(Make make);
  // For requests with side effects: each one is executed.
  http::AsyncHandler command(Make make);
  // Finishes the running requests and drops the queued ones. Must be called before the server that
  // sends requests ends.
  void stop();

 private:
  struct Waiter {
    http::Request request;  // without its body
    http::Reply reply;
  };
  struct Job {
    std::string key;  // "" for a command
    http::Request request;
    Make make;
    std::vector<Waiter> waiters;
  };
  void add(std::string key, http::Request request, const http::Reply& reply, const Make& make);
  void work(const std::stop_token& stopping);
  void execute(Job& job);

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Job>> waiting_;            // shared with `by_key_`
  std::map<std::string, std::shared_ptr<Job>> by_key_;  // queued and running queries
  std::vector<std::jthread> threads_;                   // destroyed first
};

}  // namespace tacho::serve
