#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "training/train/cuda/step_graph.h"
#include "training/train/models/classifier.h"

namespace tacho {

// Computes a model's logits on a GPU with one launch of a CUDA graph per batch shape. Batches are
// padded to few shapes: the next power of two of samples, the next multiple of 16 tokens. Use on
// one stream only.
class LogitsGraphs {
 public:
  LogitsGraphs(Classifier& model, std::int64_t max_batch);
  // For a batch on the GPU, whose labels are ignored. Valid until the next call.
  at::Tensor logits(const Batch& batch);

 private:
  using Shape = std::vector<std::int64_t>;
  struct Captured {
    std::unique_ptr<StepGraph> graph;  // nullptr: it could not be captured
    at::Tensor logits;
    int seen = 0;
  };
  [[nodiscard]] Batch filled_up(const Batch& batch) const;
  void capture(Captured& captured, const Batch& batch);

  Classifier& model_;
  std::int64_t max_batch_;
  at::cuda::MempoolId_t pool_;
  std::map<Shape, Captured> shapes_;
  bool off_ = false;
};

}  // namespace tacho
