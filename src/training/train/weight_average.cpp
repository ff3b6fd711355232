#include "training/train/weight_average.h"

namespace tacho {

WeightAverage::WeightAverage(double decay, const torch::nn::Module& model,
                             const Optimizer& optimizer)
    : decay_(decay) {
  Optimizer::Named tensors = optimizer.weights();
  for (const auto& item : model.named_buffers()) tensors.emplace_back(item.key(), item.value());
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.is_floating_point()) continue;  // the count of batches
    values_.push_back(tensor.detach());
    averages_.emplace_back(name, tensor.detach().clone());
  }
}

void WeightAverage::add() {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    averages_[i].second.lerp_(values_[i], 1 - decay_);
  }
}

void WeightAverage::swap(Optimizer& optimizer) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const at::Tensor value = values_[i].clone();
    values_[i].copy_(averages_[i].second);
    averages_[i].second.copy_(value);
  }
  optimizer.give_weights_to_model();
}

}  // namespace tacho
