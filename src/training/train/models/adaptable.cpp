#include "training/train/models/adaptable.h"

#include "training/train/models/layers.h"

namespace tacho {
namespace {

constexpr const char* kA = "lora_A";
constexpr const char* kB = "lora_B";

torch::nn::Linear linear(std::int64_t inputs, std::int64_t outputs) {
  return torch::nn::Linear(torch::nn::LinearOptions(inputs, outputs).bias(false));
}

}  // namespace

void Adaptable::add_adapter(std::int64_t rank, double scale) {
  const at::Tensor weight = matrix();
  a_ = linear(weight.size(1), rank);
  b_ = linear(rank, weight.size(0));
  const torch::NoGradGuard no_grad;
  b_->weight.zero_();
  module().register_module(kA, a_);
  module().register_module(kB, b_);
  scale_ = scale;
}

void Adaptable::merge_adapter() {
  if (a_.is_empty()) return;
  const torch::NoGradGuard no_grad;
  matrix().add_(at::mm(b_->weight, a_->weight), scale_);
  module().unregister_module(kA);
  module().unregister_module(kB);
  a_ = b_ = torch::nn::Linear(nullptr);
}

at::Tensor Adaptable::adapted(const at::Tensor& x, const at::Tensor& product) {
  if (a_.is_empty()) return product;
  return at::add(product, layers::linear(layers::linear(x, a_), b_), scale_);
}

}  // namespace tacho
