#include "training/train/cuda/step_graph.h"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime.h>

#include <exception>

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

template <class Work>
void quietly(const Work& work) {
  try {
    work();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the first problem is reported
  }
}

// Leaves torch as if no capture had begun. A capture that CUDA has invalidated cannot be ended
// properly: torch would continue to hold back freed memory and to count random numbers for it.
void abandon(at::cuda::CUDAGraph& graph, at::cuda::MempoolId_t pool) {
  quietly([&] { graph.capture_end(); });
  quietly([&] {
    const auto device = at::cuda::getCurrentCUDAStream().device_index();
    c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool);
    c10::cuda::CUDACachingAllocator::releasePool(device, pool);
  });
  quietly([] {
    at::Generator generator = torch_api::default_generator(at::kCUDA);
    generator.graphsafe_set_state(generator.clone());
  });
  // The capture's error is thrown, so the next check must not report it again.
  static_cast<void>(cudaGetLastError());
}

}  // namespace

StepGraph::StepGraph(const Batch& example, at::cuda::MempoolId_t pool,
                     const std::function<void(const Batch&)>& work)
    : batch_{place_for(example.inputs), place_for(example.labels), place_for(example.lengths)} {
  copy_into(batch_.inputs, example.inputs);
  copy_into(batch_.labels, example.labels);
  copy_into(batch_.lengths, example.lengths);
  try {
    // Other threads continue to prepare batches and may allocate meanwhile.
    graph_.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    work(batch_);
    graph_.capture_end();
  } catch (...) {
    abandon(graph_, pool);
    throw;
  }
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
