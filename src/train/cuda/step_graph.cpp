#include "train/cuda/step_graph.h"

namespace tacho {
namespace {

at::Tensor place_for(const at::Tensor& tensor) {
  return tensor.defined() ? at::empty_like(tensor) : at::Tensor();
}

bool same_kind(const at::Tensor& a, const at::Tensor& b) {
  if (a.defined() != b.defined()) return false;
  return !a.defined() || (a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
                          a.strides() == b.strides());
}

void copy_into(const at::Tensor& place, const at::Tensor& from) {
  if (place.defined() && place.data_ptr() != from.data_ptr()) place.copy_(from, true);
}

}  // namespace

StepGraph::StepGraph(const Batch& example, at::cuda::MempoolId_t pool,
                     const std::function<void(const Batch&)>& work)
    : batch_{place_for(example.inputs), place_for(example.labels), place_for(example.lengths)} {
  copy_into(batch_.inputs, example.inputs);
  copy_into(batch_.labels, example.labels);
  copy_into(batch_.lengths, example.lengths);
  // Other threads go on making batches, and may allocate meanwhile.
  graph_.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
  try {
    work(batch_);
  } catch (...) {
    try {
      graph_.capture_end();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the first problem is the one to tell
    }
    throw;
  }
  graph_.capture_end();
}

bool StepGraph::fits(const Batch& batch) const {
  return same_kind(batch_.inputs, batch.inputs) && same_kind(batch_.labels, batch.labels) &&
         same_kind(batch_.lengths, batch.lengths);
}

void StepGraph::replay(const Batch& batch) {
  copy_into(batch_.inputs, batch.inputs);
  copy_into(batch_.labels, batch.labels);
  copy_into(batch_.lengths, batch.lengths);
  graph_.replay();
}

}  // namespace tacho
