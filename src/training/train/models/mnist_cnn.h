#pragma once

#include "training/train/models/classifier.h"
#include "training/train/models/layers.h"

namespace tacho {

// Two 3×3 convolutions of 32 and 64, max-pool, dropout, 128, classes: the network of PyTorch's
// MNIST example, 1,199,882 parameters for 28×28 and ten classes.
class MnistCnn final : public Classifier {
 public:
  explicit MnistCnn(const InputShape& shape)
      : conv1_(register_module("conv1", torch::nn::Conv2d(shape.channels, 32, 3))),
        conv2_(register_module("conv2", torch::nn::Conv2d(32, 64, 3))),
        fc1_(register_module("fc1", torch::nn::Linear(flat_features(shape), 128))),
        fc2_(register_module("fc2", torch::nn::Linear(128, shape.classes))) {}

  at::Tensor logits(const Batch& batch) override {
    at::Tensor x = layers::conv_relu(batch.inputs, conv1_);
    x = layers::conv_pool_tail(x, conv2_, 0.25, is_training());
    x = layers::linear_relu_dropout(x, fc1_, 0.5, is_training());
    return layers::linear(x, fc2_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::convolution; }

 private:
  static std::int64_t flat_features(const InputShape& shape) {
    check_at_least(shape, 6);
    const auto side = [](std::int64_t pixels) { return (pixels - 4) / 2; };
    return 64 * side(shape.height) * side(shape.width);
  }

  torch::nn::Conv2d conv1_;
  torch::nn::Conv2d conv2_;
  torch::nn::Linear fc1_;
  torch::nn::Linear fc2_;
};

}  // namespace tacho
