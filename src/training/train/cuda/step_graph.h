#pragma once

#include <ATen/cuda/CUDAGraph.h>

#include <functional>
#include <string>

#include "training/train/models/classifier.h"

namespace tacho {

// A whole training step for batches of one shape, captured: the batch is copied to the graph's
// input, and a single launch does the rest.
class StepGraph {
 public:
  // `work` is called once, while its kernels are recorded instead of executed. `example` gives the
  // shapes. If that throws, steps can still run without a graph; previously captured graphs must be
  // dropped, because torch resets its random state.
  StepGraph(const Batch& example, at::cuda::MempoolId_t pool,
            const std::function<void(const Batch&)>& work);

  [[nodiscard]] bool fits(const Batch& batch) const;
  void replay(const Batch& batch);

 private:
  Batch batch_;  // the graph's input
  at::cuda::CUDAGraph graph_;
};

}  // namespace tacho
