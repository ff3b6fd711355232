#include "training/train/describe/op_cost.h"

namespace tacho {
namespace {

// cuDNN's reserve per token and unit: four gates, the cell and its tanh; in 32 bits for every
// precision, as measured.
constexpr std::int64_t kLstmReserve = 6;

double forward_multiply_adds(const TracedOp& op) {
  const auto& in = op.inputs;
  if (op.outputs.empty() || in.size() < 2) return 0;
  switch (op.kind) {
    case OpKind::convolution:
    case OpKind::linear: {
      const TracedTensor& weight = in[1];
      const bool input_major = op.name == "tacho::input_major_linear";
      const auto products_each =
          weight.count() / (input_major ? weight.shape.back() : weight.shape.front());
      return static_cast<double>(op.outputs[0].count() * products_each);
    }
    case OpKind::attention:  // q·kᵀ and the weights times v
      return 2.0 * static_cast<double>(in[0].count() * in[1].shape[in[1].shape.size() - 2]);
    case OpKind::lstm: {
      const auto tokens = in[0].shape[0] * in[0].shape[1];
      std::int64_t weights = 0;
      for (const TracedTensor& tensor : in) {
        if (tensor.shape.size() == 2) weights += tensor.count();
      }
      return static_cast<double>(tokens * weights);
    }
    default:
      return 0;
  }
}

// One product of the forward's size per factor that needs a gradient: an image does not.
double backward_factor(const TracedOp& op) {
  if (op.kind == OpKind::convolution || op.kind == OpKind::linear) {
    return (op.inputs[0].requires_grad ? 1 : 0) + (op.inputs[1].requires_grad ? 1 : 0);
  }
  return 2;
}

double bytes_of(const TracedTensor& tensor, double width) {
  return static_cast<double>(tensor.bytes) * (tensor.is_float ? width : 1);
}

}  // namespace

OpCost cost_of(const TracedOp& op, Precision precision) {
  OpCost cost;
  if (op.kind == OpKind::view || op.kind == OpKind::other) return cost;
  cost.forward_multiply_adds = forward_multiply_adds(op);
  if (is_product(op.kind)) {
    cost.backward_multiply_adds = backward_factor(op) * cost.forward_multiply_adds;
  }
  const double width = width_of(op.kind, precision);
  double read = 0;
  double gradients = 0;
  for (const TracedTensor& input : op.inputs) {
    // Only the looked-up rows of an embedding's table are read.
    const bool is_table = op.kind == OpKind::embedding && input.is_float;
    if (!is_table) read += bytes_of(input, width);
    if (input.requires_grad) gradients += bytes_of(input, width);
  }
  double written = 0;
  for (const TracedTensor& output : op.outputs) written += bytes_of(output, width);
  cost.forward_bytes = read + written * (op.kind == OpKind::embedding ? 2 : 1);
  // Backward: the results' gradients, once per factor of a product; the inputs; the inputs'
  // gradients.
  cost.backward_bytes = written * (is_product(op.kind) ? 2 : 1) + read + gradients;
  return cost;
}

std::int64_t kept_on_gpu(const TracedOp& op) {
  if (op.outputs.empty() || op.inputs.empty()) return 0;
  switch (op.kind) {
    case OpKind::attention: {  // the log-sum-exp of each row
      const auto& q = op.inputs[0].shape;
      return q[0] * q[1] * q[2] * static_cast<std::int64_t>(sizeof(float));
    }
    case OpKind::dropout:
      return op.outputs[0].count();
    case OpKind::lstm:
      return kLstmReserve * op.outputs[0].count() * static_cast<std::int64_t>(sizeof(float));
    default:
      return 0;
  }
}

}  // namespace tacho
