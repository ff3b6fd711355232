#pragma once

#include <algorithm>
#include <vector>

#include "training/train/models/classifier.h"
#include "training/train/models/draw.h"
#include "training/train/models/layers.h"
#include "training/train/models/parts.h"

namespace tacho {

// 1×1 up by `expansion`, 3×3 depthwise, 1×1 down; the input is added if the shape is unchanged.
class InvertedResidual final : public torch::nn::Module {
 public:
  InvertedResidual(std::int64_t from, std::int64_t to, std::int64_t stride, std::int64_t expansion)
      : adds_input_(stride == 1 && from == to) {
    using Conv = torch::nn::Conv2dOptions;
    const std::int64_t width = from * expansion;
    auto conv = register_module("conv", std::make_shared<Parts>());
    std::int64_t number = 0;
    if (expansion != 1) up_ = conv->add(number++, std::make_shared<ConvNorm>(Conv(from, width, 1)));
    depthwise_ = conv->add(
        number++,
        std::make_shared<ConvNorm>(Conv(width, width, 3).stride(stride).padding(1).groups(width)));
    down_ = conv->add(number++, torch::nn::Conv2d(Conv(width, to, 1).bias(false)));
    down_norm_ = conv->add(number, torch::nn::BatchNorm2d(to));
  }

  at::Tensor forward(const at::Tensor& x) {
    using layers::Activation;
    at::Tensor y = up_ ? up_->forward(x, Activation::relu6) : x;
    y = depthwise_->forward(y, Activation::relu6);
    return layers::batch_norm_act(down_->forward(y), down_norm_, Activation::none,
                                  adds_input_ ? x : at::Tensor());
  }

 private:
  bool adds_input_;
  std::shared_ptr<ConvNorm> up_;
  std::shared_ptr<ConvNorm> depthwise_;
  torch::nn::Conv2d down_{nullptr};
  torch::nn::BatchNorm2d down_norm_{nullptr};
};

class MobileNetV2 final : public Classifier {
 public:
  explicit MobileNetV2(const InputShape& shape) {
    using Conv = torch::nn::Conv2dOptions;
    struct Stage {
      std::int64_t expansion, width, repeats, stride;
    };
    constexpr std::array kStages = {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2},
                                    Stage{6, 64, 4, 2}, Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2},
                                    Stage{6, 320, 1, 1}};
    auto features = register_module("features", std::make_shared<Parts>());
    std::int64_t number = 0;
    std::int64_t channels = 32;
    first_ = features->add(number++, std::make_shared<ConvNorm>(
                                         Conv(shape.channels, channels, 3).stride(2).padding(1)));
    for (const Stage& stage : kStages) {
      for (std::int64_t i = 0; i < stage.repeats; ++i) {
        blocks_.push_back(features->add(
            number++, std::make_shared<InvertedResidual>(
                          channels, stage.width, i == 0 ? stage.stride : 1, stage.expansion)));
        channels = stage.width;
      }
    }
    last_ = features->add(number, std::make_shared<ConvNorm>(Conv(channels, kLast, 1)));
    auto classifier = register_module("classifier", std::make_shared<Parts>());
    output_ = classifier->add(1, torch::nn::Linear(kLast, shape.classes));
    draw::convolutions(*this, draw::Fan::out);
    draw::linears(*this, 0.01);
  }

  at::Tensor logits(const Batch& batch) override {
    at::Tensor x = first_->forward(batch.inputs, layers::Activation::relu6);
    for (const auto& block : blocks_) x = block->forward(x);
    x = layers::global_average(last_->forward(x, layers::Activation::relu6));
    return layers::linear(layers::dropout(x, 0.2, is_training()), output_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::convolution; }

 private:
  static constexpr std::int64_t kLast = 1280;

  std::shared_ptr<ConvNorm> first_;
  std::vector<std::shared_ptr<InvertedResidual>> blocks_;
  std::shared_ptr<ConvNorm> last_;
  torch::nn::Linear output_{nullptr};
};

}  // namespace tacho
