#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "infer/input.h"
#include "infer/model.h"

namespace tacho::infer {

struct BatchOptions {
  std::size_t max_batch = 32;
  // What a sample waits for others to compute with.
  std::chrono::microseconds max_delay{1000};
  std::size_t queue = 1024;  // samples that wait
};

struct Task {
  Key key{};
  Sample sample = {};
  // How many still want its answer; shared with them. At 0 it is not computed.
  std::shared_ptr<std::atomic<int>> wanted = {};
};

struct Computed {
  Key key{};
  Result<Prediction> prediction;
};

struct BatchCounts {
  std::uint64_t batches = 0;
  std::uint64_t samples = 0;
  std::uint64_t tokens = 0;         // of samples
  std::uint64_t padded_tokens = 0;  // of batches, padding among them
  double compute_seconds = 0;
  std::size_t queued = 0;  // now
};

// Gathers samples into batches, a thread for each instance of the model. The oldest sample is in
// the next batch, with those nearest to it in length.
class Batcher {
 public:
  // Called by the instances' threads with what a batch came to.
  using Give = std::function<void(std::vector<Computed>)>;

  Batcher(Model& model, const BatchOptions& options, Give give);
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;
  // As stop().
  ~Batcher();

  // How many samples submit() would take. Where one thread alone submits, it can only grow.
  [[nodiscard]] std::size_t room() const;
  // False where there is no room.
  bool submit(Task task);
  // Computes what waits, and ends.
  void stop();
  [[nodiscard]] BatchCounts counts() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Task task;
    Clock::time_point since;
  };

  void work(int instance);
  // Empty: there is nothing more to do.
  std::vector<Task> next();
  void gather(std::unique_lock<std::mutex>& lock);
  std::vector<Task> take();
  std::vector<Computed> compute(int instance, std::span<Task> batch);

  Model& model_;
  const BatchOptions options_;
  const Give give_;
  mutable std::mutex mutex_;  // guards all below but the threads
  std::condition_variable changed_;
  std::deque<Waiting> queue_;  // the oldest first
  BatchCounts counts_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

// Where a sorted list of lengths is better cut in two, again and again: the begins of its parts.
// One long text would make many short ones as long as itself.
std::vector<std::size_t> cut_by_length(std::span<const std::size_t> ascending);

}  // namespace tacho::infer
