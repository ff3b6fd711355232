#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "serving/infer/batcher.h"
#include "serving/infer/cache.h"

namespace tacho::infer {

struct RequestQueueOptions {
  BatchOptions batch;
  std::chrono::milliseconds deadline{2000};
  // Equal inputs that are being computed share one computation.
  bool coalesce = true;
};

struct RequestQueueCounts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t joined = 0;    // inputs that shared the computation of an equal one
  std::uint64_t refused = 0;   // requests, because the queue was full
  std::uint64_t too_late = 0;  // requests
  std::uint64_t failed = 0;    // inputs
  std::size_t waiting = 0;     // requests, currently
};

// Answers inputs from the cache, from a computation in progress, or from a new one. Used on the
// thread that runs `io`; batches are computed on other threads.
class RequestQueue {
 public:
  struct Answer {
    Prediction prediction;
    bool cached = false;
  };
  struct Refusal {
    int status = 500;
    std::string why;
  };
  using Outcome = std::variant<std::vector<Answer>, Refusal>;
  using Take = std::function<void(Outcome)>;
  struct Request;

  // `cache` may be nullptr. `background` decodes images.
  RequestQueue(boost::asio::io_context& io, boost::asio::thread_pool& background, Model& model,
               Cache* cache, const RequestQueueOptions& options);

  // Registers a request that was fully received. Its deadline starts here, before its inputs are
  // parsed. `take` is called once, at the deadline at the latest.
  std::shared_ptr<Request> open(Take take);
  // Adds the parsed inputs; does nothing if the request has ended.
  void ask(const std::shared_ptr<Request>& request, std::vector<Input> inputs);
  // Ends a request without inputs: its `take` is not called any more.
  void drop(Request& request);
  // True if the deadline has passed; thread-safe.
  [[nodiscard]] static bool is_late(const Request& request);
  // Computes the queued inputs; ask() may not be called afterwards. Called from a thread that does
  // not run `io`, or when none does.
  void stop() { batcher_.stop(); }

  [[nodiscard]] const RequestQueueCounts& counts() const { return counts_; }
  [[nodiscard]] BatchCounts batches() const { return batcher_.counts(); }

 private:
  using Clock = std::chrono::steady_clock;
  using Wanted = std::shared_ptr<std::atomic<int>>;
  struct Flight {
    Wanted wanted;  // shared with the batcher
    std::vector<std::pair<std::shared_ptr<Request>, std::size_t>> waiting;
  };

  void on_found(const std::shared_ptr<Request>& request, std::vector<Input> inputs,
                Cache::Entries entries);
  void join(const std::shared_ptr<Request>& request, std::size_t at, Input input);
  void submit(const Key& key, Input input, Wanted wanted);
  void decode(const Key& key, std::string image, Wanted wanted);
  void on_decoded(const Key& key, Result<Sample> sample, Wanted wanted);
  void complete(std::vector<Computed> computed);
  void complete(const Computed& computed);
  void release(const Key& key, const Wanted& wanted);
  void end(Request& request, Outcome outcome);
  void forget_ended();
  void watch_deadlines();

  boost::asio::io_context& io_;
  boost::asio::thread_pool& background_;
  Model& model_;
  Cache* cache_;
  const RequestQueueOptions options_;
  boost::asio::steady_timer timer_;
  std::unordered_map<Key, Flight, KeyHash> flights_;
  std::deque<std::shared_ptr<Request>> requests_;  // ordered by deadline
  RequestQueueCounts counts_;
  std::size_t decoding_ = 0;
  std::uint64_t numbered_ = 0;  // keys of inputs that are not coalesced
  bool watching_ = false;
  Batcher batcher_;  // last: its threads use the members above
};

// Shared with the pending computations of its inputs.
struct RequestQueue::Request {
  std::vector<Answer> answers = {};
  std::size_t missing = 0;
  Take take;  // empty once called
  const Clock::time_point until;
  std::vector<std::pair<Key, Wanted>> awaits = {};  // released at the end
};

}  // namespace tacho::infer
