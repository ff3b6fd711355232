#include "training/train/cuda/logits_graphs.h"

#include <ATen/cuda/CUDAContext.h>

#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <algorithm>
#include <bit>

namespace tacho {
namespace {

constexpr std::int64_t kTokens = 16;
// Batches executed before a shape is captured: by then cuDNN has tried its kernels.
constexpr int kEager = 3;
constexpr std::size_t kMostSizes = 256;

}  // namespace

LogitsGraphs::LogitsGraphs(Classifier& model, std::int64_t max_batch)
    : model_(model), max_batch_(max_batch), pool_(at::cuda::graph_pool_handle()) {}

// Padding rows hold one token; their results are ignored.
Batch LogitsGraphs::filled_up(const Batch& batch) const {
  const std::int64_t rows = batch.inputs.size(0);
  const auto wanted = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(rows)));
  const std::int64_t more_rows = std::max(rows, std::min(wanted, max_batch_)) - rows;
  Batch filled = batch;
  filled.labels = at::Tensor();
  if (batch.inputs.dim() == 2) {
    const std::int64_t length = batch.inputs.size(1);
    const std::int64_t more = (length + kTokens - 1) / kTokens * kTokens - length;
    filled.inputs = at::constant_pad_nd(batch.inputs, {0, more, 0, more_rows}, 0);
    filled.lengths = at::constant_pad_nd(batch.lengths, {0, more_rows}, 1);
  } else if (more_rows > 0) {
    const auto format = batch.inputs.suggest_memory_format();
    filled.inputs =
        at::constant_pad_nd(batch.inputs, {0, 0, 0, 0, 0, 0, 0, more_rows}, 0).contiguous(format);
  }
  return filled;
}

at::Tensor LogitsGraphs::logits(const Batch& batch) {
  const std::int64_t rows = batch.inputs.size(0);
  const Batch filled = filled_up(batch);
  Captured& captured = shapes_[filled.inputs.sizes().vec()];
  if (!captured.graph && !off_ && ++captured.seen > kEager && shapes_.size() <= kMostSizes) {
    capture(captured, filled);
  }
  if (!captured.graph) return model_.logits(filled).narrow(0, 0, rows);
  captured.graph->replay(filled);
  return captured.logits.narrow(0, 0, rows);
}

// Batches that cannot be captured run without a graph, and so does everything afterwards, because a
// failed capture invalidates the other graphs.
void LogitsGraphs::capture(Captured& captured, const Batch& batch) {
  try {
    captured.graph = std::make_unique<StepGraph>(
        batch, pool_, [&](const Batch& placed) { captured.logits = model_.logits(placed); });
  } catch (const std::exception&) {
    const bool usable = at::cuda::currentStreamCaptureStatus() == at::cuda::CaptureStatus::None;
    TORCH_CHECK(usable, "a batch could not be captured");
    off_ = true;
    at::cuda::getCurrentCUDAStream().synchronize();  // replays in flight still need their graphs
    for (auto& [shape, other] : shapes_) other = {};
  }
}

}  // namespace tacho
