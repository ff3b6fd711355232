#pragma once

#include <vector>

#include "training/train/models/classifier.h"
#include "training/train/models/draw.h"
#include "training/train/models/layers.h"
#include "training/train/models/parts.h"

namespace tacho {

// Norm before convolution; 1×1 to 128 channels, 3×3 to the 32 channels that are appended to the
// input.
class DenseLayer final : public torch::nn::Module {
 public:
  DenseLayer(std::int64_t from, std::int64_t growth)
      : norm1_(register_module("norm1", torch::nn::BatchNorm2d(from))),
        conv1_(register_module(
            "conv1", torch::nn::Conv2d(
                         torch::nn::Conv2dOptions(from, kBottleneck * growth, 1).bias(false)))),
        norm2_(register_module("norm2", torch::nn::BatchNorm2d(kBottleneck * growth))),
        conv2_(register_module(
            "conv2", torch::nn::Conv2d(torch::nn::Conv2dOptions(kBottleneck * growth, growth, 3)
                                           .padding(1)
                                           .bias(false)))) {}

  at::Tensor forward(const std::vector<at::Tensor>& known) {
    using layers::Activation;
    at::Tensor x = layers::batch_norm_act(at::cat(known, 1), norm1_, Activation::relu);
    x = layers::batch_norm_act(conv1_->forward(x), norm2_, Activation::relu);
    return conv2_->forward(x);
  }

 private:
  static constexpr std::int64_t kBottleneck = 4;

  torch::nn::BatchNorm2d norm1_;
  torch::nn::Conv2d conv1_;
  torch::nn::BatchNorm2d norm2_;
  torch::nn::Conv2d conv2_;
};

// Every layer gets the outputs of all previous layers.
class DenseBlock final : public torch::nn::Module {
 public:
  DenseBlock(int depth, std::int64_t channels, std::int64_t growth) {
    for (int i = 0; i < depth; ++i) {
      layers_.push_back(register_module("denselayer" + std::to_string(i + 1),
                                        std::make_shared<DenseLayer>(channels, growth)));
      channels += growth;
    }
  }

  at::Tensor forward(const at::Tensor& x) {
    std::vector<at::Tensor> known = {x};
    for (const auto& layer : layers_) known.push_back(layer->forward(known));
    return at::cat(known, 1);
  }

 private:
  std::vector<std::shared_ptr<DenseLayer>> layers_;
};

// Halves the channels and each side.
class Transition final : public torch::nn::Module {
 public:
  explicit Transition(std::int64_t channels)
      : norm_(register_module("norm", torch::nn::BatchNorm2d(channels))),
        conv_(register_module(
            "conv",
            torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, channels / 2, 1).bias(false)))) {}

  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor y = layers::batch_norm_act(x, norm_, layers::Activation::relu);
    return at::avg_pool2d(conv_->forward(y), {2, 2}, {2, 2});
  }

 private:
  torch::nn::BatchNorm2d norm_;
  torch::nn::Conv2d conv_;
};

// DenseNet-121: 7,978,856 parameters for 1,000 classes.
class DenseNet121 final : public Classifier {
 public:
  explicit DenseNet121(const InputShape& shape) {
    check_at_least(shape, 29);
    constexpr std::array kDepths = {6, 12, 24, 16};
    std::int64_t channels = 64;
    auto features = register_module("features", std::make_shared<Parts>());
    conv0_ = features->add("conv0",
                           torch::nn::Conv2d(torch::nn::Conv2dOptions(shape.channels, channels, 7)
                                                 .stride(2)
                                                 .padding(3)
                                                 .bias(false)));
    norm0_ = features->add("norm0", torch::nn::BatchNorm2d(channels));
    for (std::size_t i = 0; i < kDepths.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      blocks_.push_back(features->add("denseblock" + number,
                                      std::make_shared<DenseBlock>(kDepths[i], channels, kGrowth)));
      channels += kDepths[i] * kGrowth;
      if (i + 1 == kDepths.size()) break;
      transitions_.push_back(
          features->add("transition" + number, std::make_shared<Transition>(channels)));
      channels /= 2;
    }
    norm5_ = features->add("norm5", torch::nn::BatchNorm2d(channels));
    output_ = register_module("classifier", torch::nn::Linear(channels, shape.classes));
    draw::convolutions(*this, draw::Fan::in);
    const torch::NoGradGuard no_grad;
    output_->bias.zero_();
  }

  at::Tensor logits(const Batch& batch) override {
    using layers::Activation;
    at::Tensor x = layers::batch_norm_act(layers::stem_convolution(batch.inputs, conv0_), norm0_,
                                          Activation::relu);
    x = layers::max_pool(x, 3, 2, 1);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      x = blocks_[i]->forward(x);
      if (i < transitions_.size()) x = transitions_[i]->forward(x);
    }
    x = layers::batch_norm_act(x, norm5_, Activation::relu);
    return layers::linear(layers::global_average(x), output_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::convolution; }

 private:
  static constexpr std::int64_t kGrowth = 32;

  torch::nn::Conv2d conv0_{nullptr};
  torch::nn::BatchNorm2d norm0_{nullptr};
  std::vector<std::shared_ptr<DenseBlock>> blocks_;
  std::vector<std::shared_ptr<Transition>> transitions_;
  torch::nn::BatchNorm2d norm5_{nullptr};
  torch::nn::Linear output_{nullptr};
};

}  // namespace tacho
