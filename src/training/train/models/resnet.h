#pragma once

#include <vector>

#include "core/record/run_spec.h"
#include "training/train/models/classifier.h"
#include "training/train/models/draw.h"
#include "training/train/models/layers.h"
#include "training/train/models/parts.h"

namespace tacho {

// Adds the output of a few convolutions to its input.
class ResidualBlock : public torch::nn::Module {
 public:
  virtual layers::TwoReaders forward(const layers::TwoReaders& x) = 0;

 protected:
  // If the block changes the shape, a 1×1 convolution changes the input's too.
  void change_shape(std::int64_t from, std::int64_t to, std::int64_t stride) {
    if (stride == 1 && from == to) return;
    downsample_ = register_module(
        "downsample",
        std::make_shared<ConvNorm>(torch::nn::Conv2dOptions(from, to, 1).stride(stride)));
  }
  at::Tensor shortcut(const at::Tensor& x) {
    return downsample_ ? downsample_->forward(x, layers::Activation::none) : x;
  }

  static torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t kernel,
                                       std::int64_t stride = 1) {
    return torch::nn::Conv2d(
        torch::nn::Conv2dOptions(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
  }

 private:
  std::shared_ptr<ConvNorm> downsample_;
};

class BasicBlock final : public ResidualBlock {
 public:
  static constexpr std::int64_t kExpansion = 1;

  BasicBlock(std::int64_t from, std::int64_t width, std::int64_t stride)
      : conv1_(register_module("conv1", convolution(from, width, 3, stride))),
        bn1_(register_module("bn1", torch::nn::BatchNorm2d(width))),
        conv2_(register_module("conv2", convolution(width, width, 3))),
        bn2_(register_module("bn2", torch::nn::BatchNorm2d(width))) {
    change_shape(from, width, stride);
  }

  layers::TwoReaders forward(const layers::TwoReaders& x) override {
    const at::Tensor y =
        layers::batch_norm_act(conv1_->forward(x.first), bn1_, layers::Activation::relu);
    return layers::norm_add_relu(conv2_->forward(y), bn2_, shortcut(x.second));
  }

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::BatchNorm2d bn1_;
  torch::nn::Conv2d conv2_;
  torch::nn::BatchNorm2d bn2_;
};

// 1×1 down, 3×3, 1×1 up. The 3×3 has the stride: "v1.5", more accurate than the paper's.
class Bottleneck final : public ResidualBlock {
 public:
  static constexpr std::int64_t kExpansion = 4;

  Bottleneck(std::int64_t from, std::int64_t width, std::int64_t stride)
      : conv1_(register_module("conv1", convolution(from, width, 1))),
        bn1_(register_module("bn1", torch::nn::BatchNorm2d(width))),
        conv2_(register_module("conv2", convolution(width, width, 3, stride))),
        bn2_(register_module("bn2", torch::nn::BatchNorm2d(width))),
        conv3_(register_module("conv3", convolution(width, width * kExpansion, 1))),
        bn3_(register_module("bn3", torch::nn::BatchNorm2d(width * kExpansion))) {
    change_shape(from, width * kExpansion, stride);
  }

  layers::TwoReaders forward(const layers::TwoReaders& x) override {
    using layers::Activation;
    at::Tensor y = layers::batch_norm_act(conv1_->forward(x.first), bn1_, Activation::relu);
    y = layers::batch_norm_act(conv2_->forward(y), bn2_, Activation::relu);
    return layers::norm_add_relu(conv3_->forward(y), bn3_, shortcut(x.second));
  }

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::BatchNorm2d bn1_;
  torch::nn::Conv2d conv2_;
  torch::nn::BatchNorm2d bn2_;
  torch::nn::Conv2d conv3_;
  torch::nn::BatchNorm2d bn3_;
};

// The ResNets, with torchvision's names. Images of up to 32 pixels (CIFAR, MNIST) get the usual
// small stem, unless another is chosen: conv1 is 3×3 with stride 1 without max-pool, because the
// large stem would shrink them to 8×8 before the first block.
template <class Block>
class ResNet final : public Classifier {
 public:
  using Depths = std::array<int, 4>;  // blocks in each of the four stages

  ResNet(const InputShape& shape, Stem stem, const Depths& depths)
      : small_(stem == Stem::automatic ? shape.height <= kSmall && shape.width <= kSmall
                                       : stem == Stem::cifar) {
    check_at_least(shape, 8);
    const auto first = torch::nn::Conv2dOptions(shape.channels, 64, small_ ? 3 : 7)
                           .stride(small_ ? 1 : 2)
                           .padding(small_ ? 1 : 3)
                           .bias(false);
    conv1_ = register_module("conv1", torch::nn::Conv2d(first));
    bn1_ = register_module("bn1", torch::nn::BatchNorm2d(64));
    std::int64_t channels = 64;
    for (std::size_t stage = 0; stage < depths.size(); ++stage) {
      const std::int64_t width = std::int64_t{64} << stage;
      auto layer = register_module("layer" + std::to_string(stage + 1), std::make_shared<Parts>());
      for (int i = 0; i < depths[stage]; ++i) {
        const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        blocks_.push_back(layer->add(i, std::make_shared<Block>(channels, width, stride)));
        channels = width * Block::kExpansion;
      }
    }
    fc_ = register_module("fc", torch::nn::Linear(channels, shape.classes));
    draw::convolutions(*this, draw::Fan::out);
  }

  at::Tensor logits(const Batch& batch) override {
    at::Tensor x = layers::batch_norm_act(layers::stem_convolution(batch.inputs, conv1_), bn1_,
                                          layers::Activation::relu);
    if (!small_) x = layers::max_pool(x, 3, 2, 1);
    layers::TwoReaders between{x, x};
    for (const auto& block : blocks_) between = block->forward(between);
    return layers::linear(layers::global_average(between.first), fc_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::convolution; }

 private:
  static constexpr std::int64_t kSmall = 32;

  bool small_;
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace tacho
