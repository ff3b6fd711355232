#include "training/train/describe/memory_prediction.h"

#include <algorithm>
#include <limits>

#include "training/train/describe/op_cost.h"
#include "training/train/optimizer.h"

namespace tacho {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// The ticks between which an operation's tensors saved for backward are held.
struct Kept {
  std::int64_t from = kNever;
  std::int64_t to = 0;
  double bytes = 0;
  double results = 0;  // the size of its results' gradients
};

// Tacho's kernels read 16 bytes of channels at a time; torch handles the rest.
constexpr std::int64_t kPackBytes = 16;
bool is_own_pool(const TracedOp& op, Precision precision) {
  if (op.name != "aten::max_pool2d") return false;
  return op.inputs.front().shape[1] % (kPackBytes / (is_16bit(precision) ? 2 : 4)) == 0;
}

bool reads(const TracedOp& op, std::size_t block) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [&](const TracedTensor& input) { return input.block == block; });
}

// One trace, converted to what a GPU with that precision would hold.
class Timeline {
 public:
  Timeline(const StepTrace& trace, Precision precision)
      : trace_(trace), blocks_(trace.blocks), precision_(precision) {
    take_to_gpu();
    kept_.resize(trace.ops.size());
    for (const Moment& moment : trace.moments) {
      Kept& kept = kept_[moment.op];
      if (!moment.in_backward) kept.from = std::min(kept.from, moment.tick);
      kept.to = std::max(kept.to, moment.tick);
    }
    for (std::size_t i = 0; i < trace.ops.size(); ++i) {
      const TracedOp& op = trace.ops[i];
      if (!has_own_gpu_kernel(op.kind)) continue;
      if (!is_in_fused_norm(i)) {
        kept_[i].bytes = static_cast<double>(kept_on_gpu(op));
      }
      for (const TracedTensor& output : op.outputs) {
        kept_[i].results += static_cast<double>(output.bytes) * width_of(op.kind, precision);
      }
    }
  }

  [[nodiscard]] HeldBytes at(std::int64_t tick) const {
    HeldBytes held;
    for (const TracedBlock& block : blocks_) {
      if (!block.held_at(tick)) continue;
      const OpKind kind = trace_.ops[block.op].kind;
      const auto bytes = static_cast<double>(block.bytes);
      if (block.is_gradient) {
        // Batch norms stay in 32 bits.
        held.gradients += bytes * (kind == OpKind::batch_norm ? 1 : width(block, kind));
      } else if (block.in_backward) {
        held.temporaries += bytes * width(block, kind);
      } else if (block.is_result || !has_own_gpu_kernel(kind)) {
        held.activations += bytes * width(block, kind);
      }
    }
    for (const Kept& kept : kept_) {
      if (kept.from <= tick && tick <= kept.to) held.activations += kept.bytes;
    }
    return held;
  }

  // The same at the end of an operation. If the GPU has a separate kernel for it, the many small
  // backward steps of the CPU are one: only the last counts, and the gradient it started from still
  // exists.
  [[nodiscard]] HeldBytes at(const Moment& moment) const {
    const OpKind kind = trace_.ops[moment.op].kind;
    const bool is_own = has_own_gpu_kernel(kind) && moment.in_backward;
    if (is_own && moment.tick != kept_[moment.op].to) return {};
    HeldBytes held = at(moment.tick);
    if (is_own) held.temporaries += kept_[moment.op].results;
    return held;
  }

 private:
  // Adjusts what Tacho's kernels hold differently from the CPU's operations.
  void take_to_gpu() {
    for (TracedBlock& block : blocks_) {
      if (block.in_backward) continue;
      // The position of a window's maximum takes a byte, not a 64-bit index.
      if (is_own_pool(trace_.ops[block.op], precision_) && !block.is_float) {
        block.bytes /= static_cast<std::int64_t>(sizeof(std::int64_t));
      }
    }
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      if (is_own_pool(trace_.ops[i], precision_)) free_input_of(i);
      if (trace_.ops[i].kind == OpKind::attention) keep_inputs_of(i);
    }
  }

  // Backward of a pool needs the positions, that of a batch norm with ReLU and of a convolution
  // their inputs: the input of the pool is not needed.
  void free_input_of(std::size_t pool) {
    const auto block = trace_.ops[pool].inputs.front().block;
    std::size_t maker = pool;
    while (maker > 0 && trace_.ops[maker - 1].kind == OpKind::activation) --maker;
    const bool is_activated = maker != pool;
    if (maker-- == 0 || !block) return;
    const OpKind kind = trace_.ops[maker].kind;
    if (kind != OpKind::batch_norm && (kind != OpKind::convolution || is_activated)) return;
    for (std::size_t i = pool + 1; i < trace_.ops.size(); ++i) {
      if (reads(trace_.ops[i], *block)) return;
    }
    const auto after = std::find_if(trace_.moments.begin(), trace_.moments.end(),
                                    [&](const Moment& m) { return m.op == pool; });
    blocks_[*block].freed = after->tick + 1;
  }

  // Backward of a fused attention needs q, k and v; the CPU uses scaled copies of them, which are
  // not counted.
  void keep_inputs_of(std::size_t attention) {
    std::int64_t until = 0;
    for (const Moment& m : trace_.moments) {
      if (m.op == attention) until = std::max(until, m.tick);
    }
    for (const TracedTensor& input : trace_.ops[attention].inputs) {
      if (!input.block) continue;
      std::int64_t& freed = blocks_[*input.block].freed;
      freed = std::max(freed, until + 1);
    }
  }

  // dropout + add + layer norm are one kernel, which recomputes the mask in backward.
  [[nodiscard]] bool is_in_fused_norm(std::size_t i) const {
    return trace_.ops[i].kind == OpKind::dropout && i + 2 < trace_.ops.size() &&
           trace_.ops[i + 1].kind == OpKind::add && trace_.ops[i + 2].kind == OpKind::layer_norm;
  }

  [[nodiscard]] double width(const TracedBlock& block, OpKind kind) const {
    return block.is_float ? width_of(kind, precision_) : 1;
  }

  const StepTrace& trace_;
  std::vector<TracedBlock> blocks_;
  Precision precision_;
  std::vector<Kept> kept_;  // one per operation
};

double bytes_of(const std::vector<at::Tensor>& tensors) {
  double bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<double>(tensor.nbytes());
  return bytes;
}

// Momentum is one number per weight, Adam's moments are two, in 32 bits for every precision.
double optimizer_state(double weights, const OptimizerSpec& optimizer) {
  if (optimizer.kind == OptimizerKind::sgd) return optimizer.momentum != 0 ? weights : 0;
  return 2 * weights;
}

// Returns the bytes of the fp32 weights of which a 16-bit run uses copies: all but those of batch
// norms.
double lowered_bytes(const torch::nn::Module& model) {
  double bytes = 0;
  for (const auto& layer : model.modules()) {
    if (Optimizer::stays_fp32(*layer)) continue;
    bytes += bytes_of(layer->parameters(false));
  }
  return bytes;
}

// Workspaces that cuBLAS and cuBLASLt each take from torch's allocator on a Hopper GPU, once per
// compute stream; on older GPUs it is 8 MiB.
constexpr double kProductWorkspaces = 2 * 32.0 * (1 << 20);

class Line {
 public:
  Line(const TwoTraces& traces, std::int64_t batch)
      : slope_(static_cast<double>(batch - traces.first_batch) /
               static_cast<double>(traces.second_batch - traces.first_batch)) {}

  [[nodiscard]] double through(double first, double second) const {
    return std::max(0.0, first + (second - first) * slope_);
  }
  [[nodiscard]] HeldBytes through(const HeldBytes& first, const HeldBytes& second) const {
    return {through(first.activations, second.activations),
            through(first.temporaries, second.temporaries),
            through(first.gradients, second.gradients)};
  }

 private:
  double slope_;
};

}  // namespace

Result<MemoryPrediction> predict_memory(const TwoTraces& traces, const torch::nn::Module& model,
                                        const Batch& first_batch, std::int64_t batch,
                                        Precision precision, const OptimizerSpec& optimizer) {
  if (traces.first.moments.size() != traces.second.moments.size()) {
    return Error{ErrorCode::failed, "the model's operations depend on the batch size"};
  }
  const double ratio = static_cast<double>(batch) / static_cast<double>(traces.first_batch);
  const double parameters = bytes_of(model.parameters());
  MemoryPrediction f;
  f.weights = parameters + bytes_of(model.buffers());
  f.optimizer_state = optimizer_state(parameters, optimizer);
  f.gradients = parameters;
  double input_width = 1;
  if (is_16bit(precision)) {
    f.copies_16bit = lowered_bytes(model) / 2;
    f.gradients -= f.copies_16bit;
    if (first_batch.inputs.is_floating_point()) input_width = 0.5;
  }
  // Twice: a captured step reads its batch from a separate copy.
  f.inputs =
      2 * ratio * (input_width * bytes_of({first_batch.inputs}) + bytes_of({first_batch.labels}));
  if (first_batch.lengths.defined()) f.inputs += 2 * ratio * bytes_of({first_batch.lengths});
  f.library_workspaces = kProductWorkspaces;

  const Timeline first(traces.first, precision);
  const Timeline second(traces.second, precision);
  const Line line(traces, batch);
  f.saved_activations =
      line.through(first.at(traces.first.forward_end), second.at(traces.second.forward_end))
          .activations;
  for (std::size_t i = 0; i < traces.first.moments.size(); ++i) {
    const Moment& moment = traces.first.moments[i];
    const HeldBytes held = line.through(first.at(moment), second.at(traces.second.moments[i]));
    f.largest_temporaries = std::max(f.largest_temporaries, held.temporaries);
    if (held.total() <= f.at_peak.total()) continue;
    f.at_peak = held;
    f.peak_op = moment.op;
    f.peak_in_backward = moment.in_backward;
  }
  f.total = f.weights + f.copies_16bit + f.optimizer_state + f.inputs + f.library_workspaces +
            f.at_peak.total();
  return f;
}

}  // namespace tacho
