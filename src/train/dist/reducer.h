#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "train/dist/bucket_line.h"
#include "train/dist/buckets.h"

namespace tacho {

// Makes every rank's gradients the average over all ranks. A full bucket is sent while the backward
// pass goes on. A CPU's gradient is copied once, into its place in a bucket, as soon as the pass
// has made it, and the optimizer reads the average there; a GPU's stays where it is.
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

  // Before the backward pass whose gradients, with those gathered so far, are to be exchanged.
  void begin();
  // After it. An Error names a parameter that took no part in it.
  Result<ExchangeTimes> finish();

 private:
  using Node = decltype(torch::autograd::impl::grad_accumulator(at::Tensor()));
  struct Slot {
    std::string name;
    at::Tensor parameter;
    at::Tensor place;  // in its bucket, shaped as the parameter
    std::size_t bucket = 0;
    Node gatherer;  // of the parameter's gradient; the hook lives as long as it
    std::uintptr_t hook = 0;
    bool is_ready = false;
  };
  struct Filling {
    at::Tensor values;  // undefined where gradients stay where they are
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
  at::Tensor scale_;  // one over the ranks
  std::vector<Slot> slots_;
  std::vector<Filling> buckets_;
  std::size_t next_ = 0;  // the bucket that is sent next: in the same order on every rank
  bool exchanges_ = false;
  std::chrono::steady_clock::time_point begun_;
};

}  // namespace tacho
