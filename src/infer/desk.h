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

#include "infer/batcher.h"
#include "infer/cache.h"

namespace tacho::infer {

struct DeskOptions {
  BatchOptions batch;
  std::chrono::milliseconds deadline{2000};
  // What is asked for while its answer is being computed gets that one too.
  bool shares_flights = true;
};

struct DeskCounts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t joined = 0;    // that wait for the answer to the same input
  std::uint64_t refused = 0;   // requests, because too much waited
  std::uint64_t too_late = 0;  // requests
  std::uint64_t failed = 0;    // inputs
  std::size_t waiting = 0;     // requests, now
};

// From inputs to answers: from the cache, from a batch that is under way, or from a new one. All of
// it happens on the thread that runs `io`; batches are computed on others.
class Desk {
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

  // `cache` may be nullptr. `hands` decode images.
  Desk(boost::asio::io_context& io, boost::asio::thread_pool& hands, Model& model, Cache* cache,
       const DeskOptions& options);

  // A request whose last byte has come: its deadline runs from here, also while its inputs are
  // still being read. `take` is called once, at the latest when the deadline has passed.
  std::shared_ptr<Request> open(Take take);
  // With the inputs that were read, unless the request is over.
  void ask(const std::shared_ptr<Request>& request, std::vector<Input> inputs);
  // There is nothing to ask: its `take` is not called any more.
  void drop(Request& request);
  // Whether the deadline has passed; from any thread.
  [[nodiscard]] static bool is_late(const Request& request);
  // Computes what waits; nothing may be asked after. From a thread that does not run `io`, or when
  // none does.
  void stop() { batcher_.stop(); }

  [[nodiscard]] const DeskCounts& counts() const { return counts_; }
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
  void take_off(const Key& key, Input input, Wanted wanted);
  void decode(const Key& key, std::string image, Wanted wanted);
  void on_decoded(const Key& key, Result<Sample> sample, Wanted wanted);
  void land(std::vector<Computed> computed);
  void land(const Computed& computed);
  void want_no_more(const Key& key, const Wanted& wanted);
  void end(Request& request, Outcome outcome);
  void forget_ended();
  void watch_deadlines();

  boost::asio::io_context& io_;
  boost::asio::thread_pool& hands_;
  Model& model_;
  Cache* cache_;
  const DeskOptions options_;
  boost::asio::steady_timer timer_;
  std::unordered_map<Key, Flight, KeyHash> flights_;
  std::deque<std::shared_ptr<Request>> requests_;  // in the order of their deadlines
  DeskCounts counts_;
  std::size_t decoding_ = 0;
  std::uint64_t numbered_ = 0;  // keys of inputs that share no flight
  bool watching_ = false;
  Batcher batcher_;  // last: its threads use what is above
};

// Shared by what will bring its answers.
struct Desk::Request {
  std::vector<Answer> answers = {};
  std::size_t missing = 0;
  Take take;  // empty once it was called
  const Clock::time_point until;
  std::vector<std::pair<Key, Wanted>> awaits = {};  // what to want no more
};

}  // namespace tacho::infer
