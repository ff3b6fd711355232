#pragma once

#include <vector>

#include "training/train/models/classifier.h"
#include "training/train/models/draw.h"
#include "training/train/models/layers.h"
#include "training/train/models/parts.h"

namespace tacho {

// VGG without batch norm: five stages of 3×3 convolutions, each halved by a max-pool, and three
// linear layers, which hold 90 % of the weights.
class Vgg final : public Classifier {
 public:
  using Stages = std::array<int, 5>;  // convolutions per stage
  static constexpr Stages k11 = {1, 1, 2, 2, 2};
  static constexpr Stages k16 = {2, 2, 3, 3, 3};

  Vgg(const InputShape& shape, const Stages& stages) {
    check_at_least(shape, 32);
    auto features = register_module("features", std::make_shared<Parts>());
    constexpr std::array<std::int64_t, 5> kWidths = {64, 128, 256, 512, 512};
    std::int64_t channels = shape.channels;
    std::int64_t number = 0;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      stages_[stage] = {};
      for (int i = 0; i < stages[stage]; ++i) {
        stages_[stage].push_back(features->add(
            number,
            torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, kWidths[stage], 3).padding(1))));
        channels = kWidths[stage];
        number += 2;  // a ReLU between
      }
      ++number;  // the max-pool
    }
    auto classifier = register_module("classifier", std::make_shared<Parts>());
    fc1_ = classifier->add(0, torch::nn::Linear(channels * kPooled * kPooled, 4096));
    fc2_ = classifier->add(3, torch::nn::Linear(4096, 4096));
    fc3_ = classifier->add(6, torch::nn::Linear(4096, shape.classes));
    draw::convolutions(*this, draw::Fan::out);
    draw::linears(*this, 0.01);
  }

  at::Tensor logits(const Batch& batch) override {
    at::Tensor x = batch.inputs;
    for (auto& stage : stages_) {
      for (auto& convolution : stage) x = layers::conv_relu(x, convolution);
      x = layers::max_pool(x, 2, 2);
    }
    x = at::adaptive_avg_pool2d(x, {kPooled, kPooled}).flatten(1);
    x = layers::linear_relu_dropout(x, fc1_, 0.5, is_training());
    x = layers::linear_relu_dropout(x, fc2_, 0.5, is_training());
    return layers::linear(x, fc3_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::convolution; }

 private:
  static constexpr std::int64_t kPooled = 7;

  std::array<std::vector<torch::nn::Conv2d>, 5> stages_;
  torch::nn::Linear fc1_{nullptr};
  torch::nn::Linear fc2_{nullptr};
  torch::nn::Linear fc3_{nullptr};
};

}  // namespace tacho
