#include "training/train/linear_relu.h"

#include <algorithm>

#include "base/vector_widths.h"

namespace tacho {
namespace {

TACHO_EVERY_VECTOR_WIDTH
void add_bias_relu(float* __restrict out, const float* __restrict bias, std::int64_t rows,
                   std::int64_t width) {
  for (std::int64_t row = 0; row < rows; ++row, out += width) {
    for (std::int64_t i = 0; i < width; ++i) {
      const float sum = out[i] + bias[i];
      out[i] = sum < 0 ? 0 : sum;  // NaN stays NaN, as in torch
    }
  }
}

// Computes the gradient before the ReLU and its sum over the rows, the bias's gradient.
TACHO_EVERY_VECTOR_WIDTH
void relu_backward(const float* __restrict gradient, const float* __restrict out,
                   float* __restrict through, float* __restrict bias, std::int64_t rows,
                   std::int64_t width) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < width; ++i) {
      const float kept = out[i] <= 0 ? 0 : gradient[i];
      through[i] = kept;
      bias[i] += kept;
    }
    gradient += width;
    out += width;
    through += width;
  }
}

struct LinearRelu : torch::autograd::Function<LinearRelu> {
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;

  static at::Tensor forward(Context* context, const at::Tensor& input, const at::Tensor& weight,
                            const at::Tensor& bias) {
    at::Tensor out = at::mm(input, weight.t());
    torch_api::as_one_operation("tacho::bias_relu", {out, bias}, [&] {
      add_bias_relu(out.data_ptr<float>(), bias.data_ptr<float>(), out.size(0), out.size(1));
      return out;
    });
    context->save_for_backward({input, weight, out});
    return out;
  }

  static Tensors backward(Context* context, const Tensors& gradients) {
    const Tensors saved = context->get_saved_variables();
    const at::Tensor& input = saved[0];
    const at::Tensor& weight = saved[1];
    const at::Tensor& out = saved[2];
    const at::Tensor gradient = gradients[0].contiguous();
    const at::Tensor through = at::empty_like(out);
    const at::Tensor bias = at::zeros({out.size(1)}, out.options());
    torch_api::as_one_operation("tacho::bias_relu_backward", {gradient, out}, [&] {
      relu_backward(gradient.data_ptr<float>(), out.data_ptr<float>(), through.data_ptr<float>(),
                    bias.data_ptr<float>(), out.size(0), out.size(1));
      return through;
    });
    return {context->needs_input_grad(0) ? at::mm(through, weight) : at::Tensor(),
            at::mm(through.t(), input), bias};
  }
};

}  // namespace

at::Tensor linear_relu(const at::Tensor& input, const torch::nn::Linear& linear) {
  const bool fused = input.is_cpu() && input.dim() == 2 && input.scalar_type() == at::kFloat;
  if (!fused) return torch::relu(at::linear(input, linear->weight, linear->bias));
  return LinearRelu::apply(input, linear->weight, linear->bias);
}

}  // namespace tacho
