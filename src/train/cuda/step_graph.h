#pragma once

#include <ATen/cuda/CUDAGraph.h>

#include <functional>
#include <string>

#include "train/models/classifier.h"

namespace tacho {

// One whole training step for batches of one shape, captured: the batch is copied to where the
// graph reads it, and a single launch does the rest.
class StepGraph {
 public:
  // `work` is called once, while its kernels are recorded instead of run. `example` gives shapes.
  // Where that fails, steps can still be made the ordinary way; graphs captured before must go,
  // because random numbers are counted anew.
  StepGraph(const Batch& example, at::cuda::MempoolId_t pool,
            const std::function<void(const Batch&)>& work);

  [[nodiscard]] bool fits(const Batch& batch) const;
  void replay(const Batch& batch);

 private:
  Batch batch_;  // where the graph reads
  at::cuda::CUDAGraph graph_;
};

}  // namespace tacho
