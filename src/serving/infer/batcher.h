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

#include "serving/infer/input.h"
#include "serving/infer/model.h"

namespace tacho::infer {

struct BatchOptions {
  std::size_t max_batch = 32;
  // Longest time that a sample waits for others in its batch.
  std::chrono::microseconds max_delay{1000};
  std::size_t queue = 1024;  // samples that may wait
};

struct Task {
  Key key{};
  Sample sample = {};
  // Number of requests that wait for it, shared with them. At 0 it is not computed.
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
  std::uint64_t padded_tokens = 0;  // of batches, with padding
  double compute_seconds = 0;
  std::size_t queued = 0;  // currently
};

// Gathers samples into batches, with one thread per instance of the model. The oldest sample is in
// the next batch, with those closest to it in length.
class Batcher {
 public:
  // Called by the instances' threads with the results of a batch.
  using Give = std::function<void(std::vector<Computed>)>;

  Batcher(Model& model, const BatchOptions& options, Give give);
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;
  ~Batcher();

  // The number of samples that submit() accepts. With a single submitting thread it can only grow.
  [[nodiscard]] std::size_t room() const;
  // Returns false if there is no room.
  bool submit(Task task);
  // Computes the queued samples and ends.
  void stop();
  [[nodiscard]] BatchCounts counts() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Task task;
    Clock::time_point since;
  };

  void work(int instance);
  // Returns an empty batch when stopping.
  std::vector<Task> next();
  void gather(std::unique_lock<std::mutex>& lock);
  std::vector<Task> take();
  std::vector<Computed> compute(int instance, std::span<Task> batch);

  Model& model_;
  const BatchOptions options_;
  const Give give_;
  mutable std::mutex mutex_;  // guards all below but the threads
  std::condition_variable changed_;
  std::deque<Waiting> queue_;  // oldest first
  BatchCounts counts_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

// Splits a sorted list of lengths where that saves work and returns the begins of the parts. One
// long text would pad many short ones to its length.
std::vector<std::size_t> cut_by_length(std::span<const std::size_t> ascending);

}  // namespace tacho::infer
