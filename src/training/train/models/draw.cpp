#include "training/train/models/draw.h"

#include <cmath>

namespace tacho::draw {
namespace {

template <class Layer, class Draw>
void each(torch::nn::Module& model, const Draw& draw) {
  const torch::NoGradGuard no_grad;
  for (const auto& module : model.modules(/*include_self=*/false)) {
    if (auto* layer = module->as<Layer>()) draw(*layer);
  }
}

void clear(at::Tensor& bias) {
  if (bias.defined()) bias.zero_();
}

}  // namespace

void convolutions(torch::nn::Module& model, Fan fan) {
  each<torch::nn::Conv2d>(model, [fan](torch::nn::Conv2dImpl& layer) {
    if (fan == Fan::in) {
      torch::nn::init::kaiming_normal_(layer.weight, 0, torch::kFanIn, torch::kReLU);
    } else {
      torch::nn::init::kaiming_normal_(layer.weight, 0, torch::kFanOut, torch::kReLU);
    }
    clear(layer.bias);
  });
}

void linears(torch::nn::Module& model, double deviation) {
  each<torch::nn::Linear>(model, [deviation](torch::nn::LinearImpl& layer) {
    layer.weight.normal_(0, deviation);
    clear(layer.bias);
  });
}

void truncated_linears(torch::nn::Module& model, double deviation) {
  each<torch::nn::Linear>(model, [deviation](torch::nn::LinearImpl& layer) {
    truncated_normal(layer.weight, deviation);
    clear(layer.bias);
  });
}

void embeddings(torch::nn::Module& model, double deviation) {
  each<torch::nn::Embedding>(model, [deviation](torch::nn::EmbeddingImpl& layer) {
    layer.weight.normal_(0, deviation);
    if (const auto padding = layer.options.padding_idx()) layer.weight[*padding].zero_();
  });
}

// Draws uniformly between the distribution function's values at the two cuts and applies its
// inverse. The cuts are at ±2, not at ±2 deviations, as in the references, whose deviations are so
// small that nothing is cut.
void truncated_normal(at::Tensor& tensor, double deviation) {
  constexpr double kCut = 2;
  const torch::NoGradGuard no_grad;
  const double reach = std::erf(kCut / deviation / std::sqrt(2.0));
  tensor.uniform_(-reach, reach).erfinv_().mul_(deviation * std::sqrt(2.0)).clamp_(-kCut, kCut);
}

}  // namespace tacho::draw
