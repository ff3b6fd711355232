#pragma once

#include "train/dropout.h"
#include "train/linear_relu.h"
#include "train/models/classifier.h"

namespace tacho {

// Two 3×3 convolutions of 32 and 64, max-pool, dropout, 128, classes: the network of PyTorch's
// own MNIST example, 1,199,882 parameters for 28×28 and ten classes.
class MnistCnn final : public Classifier {
 public:
  explicit MnistCnn(const InputShape& shape)
      : conv1_(register_module("conv1", torch::nn::Conv2d(shape.channels, 32, 3))),
        conv2_(register_module("conv2", torch::nn::Conv2d(32, 64, 3))),
        fc1_(register_module("fc1", torch::nn::Linear(flat_features(shape), 128))),
        fc2_(register_module("fc2", torch::nn::Linear(128, shape.classes))) {}

  at::Tensor logits(const Batch& batch) override {
    // In place: a convolution needs its input for its gradient, not its output.
    at::Tensor x = conv1_->forward(batch.inputs).relu_();
    // Pooling first and clamping after is the same function on a quarter of the numbers.
    x = torch::max_pool2d(conv2_->forward(x), 2).relu_();
    x = tacho::dropout(x, 0.25, is_training()).flatten(1);
    x = tacho::dropout(linear_relu(x, fc1_), 0.5, is_training());
    return fc2_->forward(x);
  }
  [[nodiscard]] Workload workload() const override { return Workload::convolution; }

 private:
  static std::int64_t flat_features(const InputShape& shape) {
    TORCH_CHECK(shape.height >= 6 && shape.width >= 6, "images must be at least 6x6");
    const auto side = [](std::int64_t pixels) { return (pixels - 4) / 2; };
    return 64 * side(shape.height) * side(shape.width);
  }

  torch::nn::Conv2d conv1_;
  torch::nn::Conv2d conv2_;
  torch::nn::Linear fc1_;
  torch::nn::Linear fc2_;
};

}  // namespace tacho
