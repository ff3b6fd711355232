#pragma once

#include "training/train/models/classifier.h"
#include "training/train/models/layers.h"
#include "training/train/models/parts.h"

namespace tacho {

// AlexNet in one column, as in torchvision: 61,100,840 parameters for 1,000 classes.
class AlexNet final : public Classifier {
 public:
  explicit AlexNet(const InputShape& shape) {
    check_at_least(shape, 63);
    using Conv = torch::nn::Conv2dOptions;
    auto features = register_module("features", std::make_shared<Parts>());
    conv1_ = features->add(0, torch::nn::Conv2d(Conv(shape.channels, 64, 11).stride(4).padding(2)));
    conv2_ = features->add(3, torch::nn::Conv2d(Conv(64, 192, 5).padding(2)));
    conv3_ = features->add(6, torch::nn::Conv2d(Conv(192, 384, 3).padding(1)));
    conv4_ = features->add(8, torch::nn::Conv2d(Conv(384, 256, 3).padding(1)));
    conv5_ = features->add(10, torch::nn::Conv2d(Conv(256, 256, 3).padding(1)));
    auto classifier = register_module("classifier", std::make_shared<Parts>());
    fc1_ = classifier->add(1, torch::nn::Linear(256 * kPooled * kPooled, 4096));
    fc2_ = classifier->add(4, torch::nn::Linear(4096, 4096));
    fc3_ = classifier->add(6, torch::nn::Linear(4096, shape.classes));
  }

  at::Tensor logits(const Batch& batch) override {
    at::Tensor x = layers::max_pool(layers::conv_relu(batch.inputs, conv1_), 3, 2);
    x = layers::max_pool(layers::conv_relu(x, conv2_), 3, 2);
    x = layers::conv_relu(layers::conv_relu(x, conv3_), conv4_);
    x = layers::max_pool(layers::conv_relu(x, conv5_), 3, 2);
    x = at::adaptive_avg_pool2d(x, {kPooled, kPooled}).flatten(1);
    x = layers::linear_relu(layers::dropout(x, 0.5, is_training()), fc1_);
    x = layers::linear_relu(layers::dropout(x, 0.5, is_training()), fc2_);
    return layers::linear(x, fc3_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::convolution; }

 private:
  static constexpr std::int64_t kPooled = 6;

  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
  torch::nn::Conv2d conv3_{nullptr};
  torch::nn::Conv2d conv4_{nullptr};
  torch::nn::Conv2d conv5_{nullptr};
  torch::nn::Linear fc1_{nullptr};
  torch::nn::Linear fc2_{nullptr};
  torch::nn::Linear fc3_{nullptr};
};

}  // namespace tacho
