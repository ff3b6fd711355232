// Bias and activation, products with a bias, embeddings, and the loss.
#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/fused_tools.h"

namespace tacho::fused {
namespace {

struct BiasAct : torch::autograd::Function<BiasAct> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& bias,
                            kernels::Pointwise f, double dropout) {
    kernels::BiasAct act{rows_of(x), f, static_cast<float>(dropout), {}};
    if (dropout > 0) act.mask = draw_mask();
    at::Tensor y = at::empty_like(x);
    kernels::bias_act_forward(act, address(x), address(bias), address(y), stream());
    context->saved_data["function"] = static_cast<std::int64_t>(f);
    context->saved_data["dropout"] = dropout;
    context->save_for_backward({f == kernels::Pointwise::relu ? y : x, bias});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const kernels::BiasAct act{
        rows_of(saved[0]),
        static_cast<kernels::Pointwise>(context->saved_data["function"].toInt()),
        static_cast<float>(context->saved_data["dropout"].toDouble()),
        {}};
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dx = at::empty_like(saved[0]);
    const at::Tensor dbias = at::empty_like(saved[1]);
    const at::Tensor workspace = floats(kernels::column_workspace(act.shape), dy);
    kernels::bias_act_backward(act, address(dy), address(saved[0]), address(saved[1]), address(dx),
                               address(dbias), floats_of(workspace), stream());
    return {dx, dbias, {}, {}};
  }
};

kernels::Pointwise kernel_of(Pointwise f) {
  switch (f) {
    case Pointwise::relu:
      return kernels::Pointwise::relu;
    case Pointwise::gelu:
      return kernels::Pointwise::gelu;
    case Pointwise::gelu_tanh:
      return kernels::Pointwise::gelu_tanh;
  }
  return {};
}

struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, bool input_major) {
    context->save_for_backward({x, weight});
    context->saved_data["input_major"] = input_major;
    context->saved_data["frozen"] = !weight.requires_grad() && !bias.requires_grad();
    return at::linear(x, input_major ? weight.t() : weight, bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor x = saved[0].reshape({-1, saved[0].size(-1)});
    const bool input_major = context->saved_data["input_major"].toBool();
    const at::Tensor weight = input_major ? saved[1].t() : saved[1];
    const at::Tensor dy = to_row_order(gradients[0]).view({-1, weight.size(0)});
    const at::Tensor dx = at::mm(dy, weight).view(saved[0].sizes());
    if (context->saved_data["frozen"].toBool()) return {dx, {}, {}, {}};
    const at::Tensor dbias = at::empty({weight.size(0)}, dy.options());
    const kernels::Rows rows = rows_of(dy);
    const at::Tensor workspace = floats(kernels::column_workspace(rows), dy);
    kernels::column_sums(rows, address(dy), address(dbias), floats_of(workspace), stream());
    return {dx, input_major ? at::mm(x.t(), dy) : at::mm(dy.t(), x), dbias, {}};
  }
};

struct Embedding : torch::autograd::Function<Embedding> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& weight,
                            const at::Tensor& tokens, std::int64_t left_out) {
    context->save_for_backward({tokens});
    context->saved_data["left_out"] = left_out;
    context->saved_data["size"] = weight.sizes().vec();
    return at::embedding(weight, tokens, left_out);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor tokens = context->get_saved_variables()[0];
    const auto size = context->saved_data["size"].toIntVector();
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dweight = at::empty(size, dy.options());
    const kernels::EmbeddingBackward p{.words = size[0],
                                       .width = size[1],
                                       .places = tokens.numel(),
                                       .type = data_type(dy),
                                       .tokens = tokens.data_ptr<std::int64_t>(),
                                       .left_out = context->saved_data["left_out"].toInt(),
                                       .dy = address(dy),
                                       .dweight = address(dweight)};
    const at::Tensor workspace =
        at::empty({kernels::embedding_workspace(p)}, dy.options().dtype(at::kByte));
    kernels::embedding_backward(p, address(workspace), stream());
    return {dweight, {}, {}};
  }
};

struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& labels, double smoothing) {
    const at::Tensor log_sums = floats(logits.size(0), logits);
    const at::Tensor row_losses = floats(logits.size(0), logits);
    at::Tensor loss = at::empty({}, log_sums.options());
    kernels::cross_entropy_forward(of(logits, smoothing), address(logits),
                                   labels.data_ptr<std::int64_t>(), floats_of(log_sums),
                                   floats_of(row_losses), floats_of(loss), stream());
    context->save_for_backward({logits, labels, log_sums});
    context->saved_data["smoothing"] = smoothing;
    return loss;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& logits = saved[0];
    const at::Tensor dlogits = at::empty_like(logits);
    kernels::cross_entropy_backward(of(logits, context->saved_data["smoothing"].toDouble()),
                                    address(logits), saved[1].data_ptr<std::int64_t>(),
                                    floats_of(saved[2]), floats_of(gradients[0]), address(dlogits),
                                    stream());
    return {dlogits, {}, {}};
  }

  static kernels::CrossEntropy of(const at::Tensor& logits, double smoothing) {
    return {logits.size(0), logits.size(1), data_type(logits), static_cast<float>(smoothing)};
  }
};

}  // namespace

at::Tensor bias_act(const at::Tensor& x, const at::Tensor& bias, Pointwise f, double dropout) {
  const bool positions = x.numel() < (std::int64_t{1} << 32);  // limit of the mask's hash
  if (!fits(x) || bias.scalar_type() != x.scalar_type() || !is_aligned(bias) || !positions) {
    return {};
  }
  return BiasAct::apply(x, bias, kernel_of(f), dropout);
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  bool input_major) {
  const bool fitting = x.is_cuda() && has_data_type(x) && x.is_contiguous() && x.numel() > 0 &&
                       weight.scalar_type() == x.scalar_type() &&
                       bias.numel() % kernels::pack_width(data_type(x)) == 0;
  return fitting ? Linear::apply(x, weight, bias, input_major) : at::Tensor();
}

at::Tensor embedding(const at::Tensor& weight, const at::Tensor& tokens, std::int64_t left_out) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const bool fitting = fits(weight) && tokens.is_contiguous() && tokens.numel() > 0 &&
                       tokens.numel() < kMost && weight.size(0) < kMost;
  return fitting ? Embedding::apply(weight, tokens, left_out) : at::Tensor();
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing) {
  const bool fitting = logits.is_cuda() && logits.dim() == 2 && has_data_type(logits) &&
                       logits.is_contiguous() && logits.numel() > 0 && labels.is_contiguous();
  return fitting ? CrossEntropy::apply(logits, labels, smoothing) : at::Tensor();
}

}  // namespace tacho::fused
