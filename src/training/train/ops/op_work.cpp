#include "training/train/ops/op_work.h"

#include <algorithm>
#include <array>
#include <utility>

#include "training/train/describe/op_cost.h"

namespace tacho {
namespace {

// Position of a product's factors among the input tensors.
enum class Product {
  convolution,           // input, weight
  convolution_backward,  // gradient, input, weight; results: of the input, of the weight
  matrix,                // a, b
  added_matrix,          // addend, a, b
  attention,             // q, k, v
  attention_backward,    // gradient, q, k, v
  lstm_layer,            // input T×N×I, input weights, state weights
  lstm_layer_backward,   // the same
};

// The operators that do the work, below those that 'tacho describe' knows by OpKind.
constexpr std::array<std::pair<std::string_view, Product>, 27> kProducts = {{
    {"aten::_convolution", Product::convolution},
    {"aten::mkldnn_convolution", Product::convolution},
    {"aten::thnn_conv2d", Product::convolution},
    {"aten::_slow_conv2d_forward", Product::convolution},
    {"aten::cudnn_convolution", Product::convolution},
    {"aten::_conv_depthwise2d", Product::convolution},
    {"aten::convolution_backward", Product::convolution_backward},
    {"aten::mkldnn_convolution_backward", Product::convolution_backward},
    {"aten::_slow_conv2d_backward", Product::convolution_backward},
    {"aten::mm", Product::matrix},
    {"aten::bmm", Product::matrix},
    {"aten::mv", Product::matrix},
    {"aten::dot", Product::matrix},
    {"aten::addmm", Product::added_matrix},
    {"aten::addmm_", Product::added_matrix},
    {"aten::_addmm_activation", Product::added_matrix},
    {"aten::baddbmm", Product::added_matrix},
    {"aten::baddbmm_", Product::added_matrix},
    {"aten::addmv", Product::added_matrix},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", Product::attention},
    {"aten::_scaled_dot_product_flash_attention", Product::attention},
    {"aten::_scaled_dot_product_efficient_attention", Product::attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", Product::attention_backward},
    {"aten::_scaled_dot_product_flash_attention_backward", Product::attention_backward},
    {"aten::_scaled_dot_product_efficient_attention_backward", Product::attention_backward},
    {"aten::mkldnn_rnn_layer", Product::lstm_layer},
    {"aten::mkldnn_rnn_layer_backward", Product::lstm_layer_backward},
}};

// These only allocate memory or create views.
constexpr std::array<std::string_view, 8> kMoveNothing = {
    "aten::empty",   "aten::empty_like",  "aten::empty_strided", "aten::new_empty",
    "aten::resize_", "aten::as_strided_", "aten::detach_",       "aten::result_type"};

// These overwrite their first input without reading it.
constexpr std::array<std::string_view, 6> kOverwrite = {"aten::copy_",    "aten::zero_",
                                                        "aten::fill_",    "aten::normal_",
                                                        "aten::uniform_", "aten::bernoulli_"};

template <class Names>
bool is_in(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// An operator of torch that returns its input's memory made a view or did nothing, except those
// that end in '_', which write there.
bool gives_back_the_same(const TracedOp& op) {
  if (!op.name.starts_with("aten::") || op.name.ends_with('_') || op.outputs.empty()) return false;
  const auto was_given = [&](const TracedTensor& output) {
    return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const TracedTensor& input) {
      return output.identity != nullptr && input.identity == output.identity;
    });
  };
  return std::all_of(op.outputs.begin(), op.outputs.end(), was_given);
}

double count_of(const TracedTensor& tensor) { return static_cast<double>(tensor.count()); }

double all_bytes(const TracedOp& op) {
  double bytes = 0;
  const std::size_t unread = is_in(kOverwrite, op.name) ? 1 : 0;
  for (std::size_t i = unread; i < op.inputs.size(); ++i) {
    bytes += static_cast<double>(op.inputs[i].bytes);
  }
  for (const TracedTensor& output : op.outputs) bytes += static_cast<double>(output.bytes);
  return bytes;
}

// Counts like the operation whose work it does.
double multiply_adds_as(OpKind kind, TracedOp op) {
  const std::size_t least = kind == OpKind::attention ? 2 : 1;
  if (op.inputs.size() < 2 || op.inputs[1].shape.size() < least || op.inputs[1].count() == 0) {
    return 0;
  }
  op.kind = kind;
  return cost_of(op, Precision::fp32).forward_multiply_adds;
}

double matrix_multiply_adds(const TracedOp& op, std::size_t a) {
  if (op.inputs.size() < a + 2 || op.inputs[a].shape.empty() || op.outputs.empty()) return 0;
  return count_of(op.outputs[0]) * static_cast<double>(op.inputs[a].shape.back());
}

// One product of the forward's size per requested gradient.
double convolution_backward_multiply_adds(const TracedOp& op,
                                          const std::vector<bool>& defined_results) {
  if (op.inputs.size() < 3 || op.inputs[2].shape.empty() || op.inputs[2].shape[0] == 0) return 0;
  const TracedTensor& weight = op.inputs[2];
  const double each =
      count_of(op.inputs[0]) * count_of(weight) / static_cast<double>(weight.shape[0]);
  double factors = 0;
  for (std::size_t i = 0; i < 2 && i < defined_results.size(); ++i) {
    factors += defined_results[i] ? 1 : 0;
  }
  return factors * each;
}

double lstm_multiply_adds(const TracedOp& op) {
  if (op.inputs.size() < 3 || op.inputs[0].shape.size() < 2) return 0;
  const auto tokens = static_cast<double>(op.inputs[0].shape[0] * op.inputs[0].shape[1]);
  return tokens * (count_of(op.inputs[1]) + count_of(op.inputs[2]));
}

double attention_backward_multiply_adds(TracedOp op) {
  if (op.inputs.size() < 4 || op.outputs.empty()) return 0;
  op.inputs.erase(op.inputs.begin());
  return 2 * multiply_adds_as(OpKind::attention, std::move(op));
}

double multiply_adds(Product product, const TracedOp& op, const std::vector<bool>& results) {
  switch (product) {
    case Product::convolution:
      return multiply_adds_as(OpKind::convolution, op);
    case Product::convolution_backward:
      return convolution_backward_multiply_adds(op, results);
    case Product::matrix:
      return matrix_multiply_adds(op, 0);
    case Product::added_matrix:
      return matrix_multiply_adds(op, 1);
    case Product::attention:
      return multiply_adds_as(OpKind::attention, op);
    case Product::attention_backward:
      return attention_backward_multiply_adds(op);
    case Product::lstm_layer:
      return lstm_multiply_adds(op);
    case Product::lstm_layer_backward:
      return 2 * lstm_multiply_adds(op);
  }
  return 0;
}

}  // namespace

OpWork work_of(const TracedOp& op, const std::vector<bool>& defined_results) {
  const bool moves_nothing =
      op.kind == OpKind::view || is_in(kMoveNothing, op.name) || gives_back_the_same(op);
  if (moves_nothing) return {};
  const auto* const product =
      std::find_if(kProducts.begin(), kProducts.end(),
                   [&](const auto& known) { return known.first == op.name; });
  if (product != kProducts.end()) {
    return {2 * multiply_adds(product->second, op, defined_results), all_bytes(op)};
  }
  if (op.kind == OpKind::other) return {0, all_bytes(op)};
  const OpCost cost = cost_of(op, Precision::fp32);
  return {2 * cost.forward_multiply_adds, cost.forward_bytes};
}

}  // namespace tacho
