#include "train/describe/memory_forecast.h"

#include <algorithm>
#include <limits>

#include "train/describe/op_cost.h"

namespace tacho {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Between which ticks an operation's keepings for the way back are held.
struct Kept {
  std::int64_t from = kNever;
  std::int64_t to = 0;
  double bytes = 0;
  double results = 0;  // the size of its results' gradients
};

// One trace, looked at as a GPU of that precision would hold it.
class Timeline {
 public:
  Timeline(const StepTrace& trace, Precision precision) : trace_(trace), precision_(precision) {
    kept_.resize(trace.ops.size());
    for (const Moment& moment : trace.moments) {
      Kept& kept = kept_[moment.op];
      if (!moment.on_the_way_back) kept.from = std::min(kept.from, moment.tick);
      kept.to = std::max(kept.to, moment.tick);
    }
    for (std::size_t i = 0; i < trace.ops.size(); ++i) {
      const TracedOp& op = trace.ops[i];
      if (!has_own_gpu_kernel(op.kind)) continue;
      kept_[i].bytes = static_cast<double>(kept_on_gpu(op, precision));
      for (const TracedTensor& output : op.outputs) {
        kept_[i].results += static_cast<double>(output.bytes) * width_of(op.kind, precision);
      }
    }
  }

  [[nodiscard]] HeldBytes at(std::int64_t tick) const {
    HeldBytes held;
    for (const TracedBlock& block : trace_.blocks) {
      if (!block.held_at(tick)) continue;
      const OpKind kind = trace_.ops[block.op].kind;
      const auto bytes = static_cast<double>(block.bytes);
      if (block.is_gradient) {
        held.gradients += bytes;
      } else if (block.on_the_way_back) {
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

  // The same at the end of an operation. Where the GPU has a kernel of its own for it, the many
  // small steps the CPU takes back through it are one: only the last counts, and the gradient it
  // started from is still there.
  [[nodiscard]] HeldBytes at(const Moment& moment) const {
    const OpKind kind = trace_.ops[moment.op].kind;
    const bool is_own = has_own_gpu_kernel(kind) && moment.on_the_way_back;
    if (is_own && moment.tick != kept_[moment.op].to) return {};
    HeldBytes held = at(moment.tick);
    if (is_own) held.temporaries += kept_[moment.op].results;
    return held;
  }

 private:
  [[nodiscard]] double width(const TracedBlock& block, OpKind kind) const {
    return block.is_float ? width_of(kind, precision_) : 1;
  }

  const StepTrace& trace_;
  Precision precision_;
  std::vector<Kept> kept_;  // one an operation
};

double bytes_of(const std::vector<at::Tensor>& tensors) {
  double bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<double>(tensor.nbytes());
  return bytes;
}

// Momentum is one number a weight, Adam's moments are two; its step on a GPU also computes the
// denominators of all weights at once.
double optimizer_state(double weights, const OptimizerSpec& optimizer) {
  if (optimizer.kind == OptimizerKind::sgd) return optimizer.momentum != 0 ? weights : 0;
  return 2 * weights;
}
double optimizer_workspace(double weights, const OptimizerSpec& optimizer) {
  return optimizer.kind == OptimizerKind::sgd ? 0 : weights;
}

// Autocast keeps a 16-bit copy of each factor of a product that comes in 32: weights and images.
double copies_16bit(const StepTrace& trace, double batch_ratio) {
  double bytes = 0;
  for (const TracedOp& op : trace.ops) {
    if (!is_product(op.kind) || op.kind == OpKind::attention) continue;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const TracedTensor& input = op.inputs[i];
      const auto half = static_cast<double>(input.bytes) / 2;
      if (i > 0) bytes += half;
      if (i == 0 && !input.requires_grad) bytes += half * batch_ratio;
    }
  }
  return bytes;
}

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

Result<MemoryForecast> forecast_memory(const TwoTraces& traces, const torch::nn::Module& model,
                                       const Batch& first_batch, std::int64_t batch,
                                       Precision precision, const OptimizerSpec& optimizer) {
  if (traces.first.moments.size() != traces.second.moments.size()) {
    return Error{ErrorCode::failed, "the model takes other steps for another batch"};
  }
  const double ratio = static_cast<double>(batch) / static_cast<double>(traces.first_batch);
  const double parameters = bytes_of(model.parameters());
  MemoryForecast f;
  f.weights = parameters + bytes_of(model.buffers());
  f.optimizer_state = optimizer_state(parameters, optimizer);
  f.optimizer_workspace = optimizer_workspace(parameters, optimizer);
  f.gradients = parameters;
  f.inputs = ratio * bytes_of({first_batch.inputs, first_batch.labels});
  if (first_batch.lengths.defined()) f.inputs += ratio * bytes_of({first_batch.lengths});
  if (is_16bit(precision)) f.copies_16bit = copies_16bit(traces.first, ratio);

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
    f.peak_is_on_the_way_back = moment.on_the_way_back;
  }
  const double in_step = f.copies_16bit + f.at_peak.total();
  const double in_optimizer = f.gradients + f.optimizer_workspace;
  f.peak_is_optimizer = in_optimizer > in_step;
  f.total = f.weights + f.optimizer_state + f.inputs + std::max(in_step, in_optimizer);
  return f;
}

}  // namespace tacho
