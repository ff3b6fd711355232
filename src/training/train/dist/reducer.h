#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "training/train/dist/bucket_line.h"
#include "training/train/dist/buckets.h"

namespace tacho {

// Averages the gradients of the parameters that are trained over all ranks. A full bucket is sent
// while the backward pass continues. A gradient on the CPU is copied once, into its bucket, as soon
// as it is ready, and the optimizer reads the average there; a gradient on a GPU stays in place.
class Reducer {
 public:
  struct Options {
    int rank = 0;
    int ranks = 1;
    double bucket_mb = 25;
    bool overlap = true;
  };
  static Result<std::unique_ptr<Reducer>> make(torch::nn::Module& model, BucketLine& line,
                                               const Options& options);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  // Call before the backward pass whose gradients, with those accumulated so far, are exchanged.
  void begin();
  // Call after it. An Error names a parameter that got no gradient.
  Result<ExchangeTimes> finish();

 private:
  using Node = decltype(torch::autograd::impl::grad_accumulator(at::Tensor()));
  struct Slot {
    std::string name;
    at::Tensor parameter;
    at::Tensor place;  // in its bucket, with the parameter's shape
    std::size_t bucket = 0;
    Node accumulator;  // of the parameter's gradient; keeps the hook alive
    std::uintptr_t hook = 0;
    bool is_ready = false;
  };
  struct Filling {
    at::Tensor values;  // undefined if gradients stay in place
    std::vector<std::size_t> slots;
    std::size_t missing = 0;
  };
  class Hook;

  Reducer(BucketLine& line, const Options& options);
  Result<void> lay_out(torch::nn::Module& model);
  void gradient_made(std::size_t slot);
  void send_full();
  std::vector<at::Tensor> gradients_of(const Filling& bucket);

  BucketLine& line_;
  Options options_;
  at::Tensor scale_;  // 1 / ranks
  std::vector<Slot> slots_;
  std::vector<Filling> buckets_;
  std::size_t next_ = 0;  // next bucket to send: the same order on every rank
  bool exchanges_ = false;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace tacho
