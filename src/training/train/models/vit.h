#pragma once

#include <vector>

#include "training/train/models/classifier.h"
#include "training/train/models/draw.h"
#include "training/train/models/layers.h"
#include "training/train/models/parts.h"

namespace tacho {

// One block of a vision transformer, with a norm before each of its two parts. The caller adds and
// normalises, because the norm after the second part belongs to the next block.
class VitBlock final : public torch::nn::Module {
 public:
  VitBlock(std::int64_t width, std::int64_t heads, double epsilon) : heads_(heads) {
    const auto norm = torch::nn::LayerNormOptions({width}).eps(epsilon);
    norm1 = register_module("norm1", torch::nn::LayerNorm(norm));
    auto attn = register_module("attn", std::make_shared<Parts>());
    qkv_ = attn->add("qkv", torch::nn::Linear(width, 3 * width));
    projection_ = attn->add("proj", torch::nn::Linear(width, width));
    norm2 = register_module("norm2", torch::nn::LayerNorm(norm));
    auto mlp = register_module("mlp", std::make_shared<Parts>());
    fc1_ = mlp->add("fc1", torch::nn::Linear(width, 4 * width));
    fc2_ = mlp->add("fc2", torch::nn::Linear(4 * width, width));
  }

  at::Tensor attend(const at::Tensor& normed) {
    const std::int64_t n = normed.size(0);
    const std::int64_t t = normed.size(1);
    const std::int64_t depth = normed.size(2) / heads_;
    const auto qkv = layers::linear(normed, qkv_)
                         .view({n, t, 3, heads_, depth})
                         .permute({2, 0, 3, 1, 4})
                         .unbind(0);
    return layers::linear(
        layers::join_heads(layers::attention(qkv[0], qkv[1], qkv[2], {}, 0, is_training())),
        projection_);
  }
  at::Tensor mlp(const at::Tensor& normed) {
    return layers::linear(layers::linear_gelu(normed, fc1_), fc2_);
  }

  torch::nn::LayerNorm norm1{nullptr};
  torch::nn::LayerNorm norm2{nullptr};

 private:
  std::int64_t heads_;
  torch::nn::Linear qkv_{nullptr};
  torch::nn::Linear projection_{nullptr};
  torch::nn::Linear fc1_{nullptr};
  torch::nn::Linear fc2_{nullptr};
};

// DeiT-small's vision transformer, with timm's names: patches of 16 pixels, 384 wide, 12 blocks, 6
// heads. 22,050,664 parameters at 224×224 for 1,000 classes. No dropout, as in timm. Images of up
// to 32 pixels (CIFAR, MNIST) have patches of 4, because 4 patches of 16 leave nothing to attend
// to.
class VitSmall final : public Classifier {
 public:
  explicit VitSmall(const InputShape& shape) {
    const std::int64_t patch = shape.height <= kSmall && shape.width <= kSmall ? 4 : 16;
    check_at_least(shape, patch);
    TORCH_CHECK(shape.height % patch == 0 && shape.width % patch == 0,
                "images must be a multiple of ", patch, " pixels high and wide, not ", shape.height,
                "x", shape.width);
    const std::int64_t patches = shape.height / patch * (shape.width / patch);
    cls_token_ = register_parameter("cls_token", at::empty({1, 1, kWidth}).normal_(0, 1e-6));
    pos_embed_ = register_parameter("pos_embed", at::empty({1, patches + 1, kWidth}));
    patch_ = register_module("patch_embed", std::make_shared<Parts>())
                 ->add("proj",
                       torch::nn::Conv2d(
                           torch::nn::Conv2dOptions(shape.channels, kWidth, patch).stride(patch)));
    auto blocks = register_module("blocks", std::make_shared<Parts>());
    for (int i = 0; i < kDepth; ++i) {
      blocks_.push_back(blocks->add(i, std::make_shared<VitBlock>(kWidth, kHeads, kEpsilon)));
    }
    norm_ = register_module(
        "norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth}).eps(kEpsilon)));
    head_ = register_module("head", torch::nn::Linear(kWidth, shape.classes));
    draw::truncated_linears(*this, 0.02);
    draw::truncated_normal(pos_embed_, 0.02);
  }

  at::Tensor logits(const Batch& batch) override {
    const at::Tensor patches = patch_->forward(batch.inputs).flatten(2).transpose(1, 2);
    const at::Tensor first = cls_token_.expand({patches.size(0), -1, -1});
    at::Tensor x = at::cat({first, patches}, 1) + pos_embed_;
    at::Tensor normed = blocks_.front()->norm1->forward(x);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      VitBlock& block = *blocks_[i];
      auto& next = i + 1 < blocks_.size() ? blocks_[i + 1]->norm1 : norm_;
      auto attended = layers::add_then_norm({block.attend(normed), {}}, x, block.norm2);
      auto mixed = layers::add_then_norm({block.mlp(attended.normed), {}}, attended.sum, next);
      x = mixed.sum;
      normed = mixed.normed;
    }
    return layers::linear(normed.select(1, 0), head_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::product; }

 private:
  static constexpr std::int64_t kSmall = 32;
  static constexpr std::int64_t kWidth = 384;
  static constexpr std::int64_t kHeads = 6;
  static constexpr int kDepth = 12;
  static constexpr double kEpsilon = 1e-6;

  at::Tensor cls_token_;
  at::Tensor pos_embed_;
  torch::nn::Conv2d patch_{nullptr};
  std::vector<std::shared_ptr<VitBlock>> blocks_;
  torch::nn::LayerNorm norm_{nullptr};
  torch::nn::Linear head_{nullptr};
};

}  // namespace tacho
