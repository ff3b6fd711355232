#pragma once

#include "training/train/models/classifier.h"
#include "training/train/models/layers.h"

namespace tacho {

// LeNet-5 in its modern form: ReLU and max-pooling, padding so that 28×28 stays 28×28.
class LeNet5 final : public Classifier {
 public:
  explicit LeNet5(const InputShape& shape)
      : conv1_(register_module(
            "conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(shape.channels, 6, 5).padding(2)))),
        conv2_(register_module("conv2", torch::nn::Conv2d(6, 16, 5))),
        fc1_(register_module("fc1", torch::nn::Linear(flat_features(shape), 120))),
        fc2_(register_module("fc2", torch::nn::Linear(120, 84))),
        fc3_(register_module("fc3", torch::nn::Linear(84, shape.classes))) {}

  at::Tensor logits(const Batch& batch) override {
    at::Tensor x = layers::conv_pool_relu(batch.inputs, conv1_, 2, 2);
    x = layers::conv_pool_relu(x, conv2_, 2, 2).flatten(1);
    x = layers::linear_relu(layers::linear_relu(x, fc1_), fc2_);
    return layers::linear(x, fc3_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::convolution; }

 private:
  static std::int64_t flat_features(const InputShape& shape) {
    check_at_least(shape, 12);
    const auto side = [](std::int64_t pixels) { return (pixels / 2 - 4) / 2; };
    return 16 * side(shape.height) * side(shape.width);
  }

  torch::nn::Conv2d conv1_;
  torch::nn::Conv2d conv2_;
  torch::nn::Linear fc1_;
  torch::nn::Linear fc2_;
  torch::nn::Linear fc3_;
};

}  // namespace tacho
