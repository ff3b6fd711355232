// The layers of decoder language models, and their loss.
#include <algorithm>

#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/fused_tools.h"

namespace tacho::fused {
namespace {

struct GatedSilu : torch::autograd::Function<GatedSilu> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate,
                            const at::Tensor& up) {
    context->save_for_backward({gate, up});
    at::Tensor y = at::empty_like(gate);
    kernels::gated_silu_forward(rows_of(gate), address(gate), address(up), address(y), stream());
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dy = to_row_order(gradients[0]);
    const at::Tensor dgate = at::empty_like(dy);
    const at::Tensor dup = at::empty_like(dy);
    kernels::gated_silu_backward(rows_of(dy), address(dy), address(saved[0]), address(saved[1]),
                                 address(dgate), address(dup), stream());
    return {dgate, dup};
  }
};

// Of N×T×heads×d.
struct Rotate : torch::autograd::Function<Rotate> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& cosine,
                            const at::Tensor& sine) {
    context->save_for_backward({cosine, sine});
    return rotated(x, cosine, sine, false);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dy = gradients[0].contiguous();
    return {rotated(is_aligned(dy) ? dy : dy.clone(), saved[0], saved[1], true), {}, {}};
  }

  static at::Tensor rotated(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine,
                            bool back) {
    at::Tensor y = at::empty_like(x);
    kernels::rotate({.tokens = x.size(0) * x.size(1),
                     .length = x.size(1),
                     .heads = x.size(2),
                     .width = x.size(3),
                     .type = data_type(x),
                     .back = back},
                    address(x), address(cosine), address(sine), address(y), stream());
    return y;
  }
};

struct HeadLoss : torch::autograd::Function<HeadLoss> {
  static variable_list forward(AutogradContext* context, const at::Tensor& hidden,
                               const at::Tensor& head, const at::Tensor& labels, double smoothing,
                               bool gradients) {
    const std::int64_t rows = hidden.size(0);
    const std::int64_t classes = head.size(0);
    const std::int64_t stride = (classes + kLogitsMultiple - 1) / kLogitsMultiple * kLogitsMultiple;
    const at::Tensor weight =
        stride == classes ? head : at::constant_pad_nd(head, {0, 0, 0, stride - classes});
    const at::Tensor losses = floats(rows, hidden);
    at::Tensor ahead = at::empty({rows}, hidden.options().dtype(at::kInt));
    const bool trains_head = gradients && head.requires_grad();
    const at::Tensor dhidden = gradients ? at::empty_like(hidden) : at::Tensor();
    at::Tensor dhead;
    const at::Tensor room = at::empty({std::min(rows, kRowsOfLogits), stride}, hidden.options());
    for (std::int64_t first = 0; first < rows; first += kRowsOfLogits) {
      const std::int64_t count = std::min(kRowsOfLogits, rows - first);
      const at::Tensor part = hidden.narrow(0, first, count);
      at::Tensor logits = room.narrow(0, 0, count);
      at::mm_out(logits, part, weight.t());
      kernels::token_loss(
          {count, classes, stride, data_type(logits), static_cast<float>(smoothing)},
          address(logits), labels.data_ptr<std::int64_t>() + first, gradients,
          floats_of(losses) + first, ahead.data_ptr<std::int32_t>() + first, stream());
      if (!gradients) continue;
      at::Tensor dpart = dhidden.narrow(0, first, count);
      at::mm_out(dpart, logits, weight);
      if (!trains_head) continue;
      if (dhead.defined()) {
        dhead.addmm_(logits.t(), part);
      } else {
        dhead = at::mm(logits.t(), part);
      }
    }
    const at::Tensor share = labels.ge(0).sum().clamp_min(1).to(at::kFloat).reciprocal();
    context->saved_data["head"] = trains_head;
    if (gradients) {
      context->save_for_backward(
          {dhidden, trains_head ? dhead.narrow(0, 0, classes) : dhidden, share});
    }
    context->mark_non_differentiable({ahead});
    return {losses.sum() * share, ahead};
  }

  // The gradients of all rows' losses exist; those of their mean are smaller.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor each = gradients[0] * saved[2];
    const bool trains_head = context->saved_data["head"].toBool();
    return {saved[0] * each, trains_head ? saved[1] * each : at::Tensor(), {}, {}, {}};
  }
};

}  // namespace

at::Tensor causal_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            double dropout) {
  constexpr std::int64_t kShortest = 64;  // shorter texts are not worth a plan of cuDNN's
  constexpr std::int64_t kWidest = 128;
  const bool narrow = q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf;
  const bool square = q.size(-2) == k.size(-2) && q.size(-2) >= kShortest;
  if (!q.is_cuda() || !narrow || !square || q.size(-1) % 8 != 0 || q.size(-1) > kWidest) return {};
  try {
    return torch_api::cudnn_causal_attention(q, k, v, dropout);
  } catch (const c10::Error&) {
    return {};  // this GPU or shape is not supported
  }
}

at::Tensor gated_silu(const at::Tensor& gate, const at::Tensor& up) {
  const bool fitting = gate.dim() != 4 && fits(gate) && fits(up) && gate.sizes() == up.sizes() &&
                       gate.scalar_type() == up.scalar_type();
  return fitting ? GatedSilu::apply(gate, up) : at::Tensor();
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) {
  const at::Tensor stored = x.transpose(1, 2);
  if (!x.is_cuda() || !has_data_type(x) || !stored.is_contiguous() || !is_aligned(stored) ||
      x.numel() == 0 || cosine.dim() != 2) {
    return {};
  }
  const bool fitting = x.size(-1) % (2 * kernels::pack_width(data_type(x))) == 0 &&
                       cosine.scalar_type() == x.scalar_type() && fits(cosine) && fits(sine);
  return fitting ? Rotate::apply(stored, cosine, sine).transpose(1, 2) : at::Tensor();
}

TokenLoss token_loss(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels,
                     double smoothing) {
  TORCH_CHECK(hidden.is_contiguous() && head.is_contiguous() && labels.is_contiguous(),
              "the loss of tokens needs rows");
  const bool gradients =
      at::GradMode::is_enabled() && (hidden.requires_grad() || head.requires_grad());
  const auto both = HeadLoss::apply(hidden, head, labels, smoothing, gradients);
  return {both[0], both[1]};
}

}  // namespace tacho::fused
