#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "training/train/models/adaptable.h"
#include "training/train/models/decoder.h"
#include "training/train/models/draw.h"
#include "training/train/models/parts.h"

namespace tacho {

// A linear layer whose weight is inputs×outputs, as in OpenAI's files.
class Conv1d final : public torch::nn::Module, public Adaptable {
 public:
  Conv1d(std::int64_t inputs, std::int64_t outputs, double deviation)
      : weight_(register_parameter("weight", at::empty({inputs, outputs}).normal_(0, deviation))),
        bias_(register_parameter("bias", at::zeros({outputs}))) {}

  at::Tensor forward(const at::Tensor& x) {
    return adapted(x, layers::input_major_linear(x, weight_, bias_));
  }
  // Without the bias, if the next layer can add it.
  layers::Biased product(const at::Tensor& x) {
    layers::Biased y = layers::input_major_product(x, weight_, bias_);
    return {adapted(x, y.product), y.bias};
  }

 private:
  torch::nn::Module& module() override { return *this; }
  at::Tensor matrix() override { return weight_.t(); }

  at::Tensor weight_;
  at::Tensor bias_;
};

class Gpt2Block final : public torch::nn::Module {
 public:
  explicit Gpt2Block(const DecoderShape& shape) : heads_(shape.heads) {
    const double residual = kDeviation / std::sqrt(2.0 * static_cast<double>(shape.layers));
    norm1 = register_module("ln_1", layer_norm(shape.width));
    auto attention = register_module("attn", std::make_shared<Parts>());
    qkv_ = attention->add("c_attn",
                          std::make_shared<Conv1d>(shape.width, 3 * shape.width, kDeviation));
    attended_ =
        attention->add("c_proj", std::make_shared<Conv1d>(shape.width, shape.width, residual));
    norm2 = register_module("ln_2", layer_norm(shape.width));
    auto mlp = register_module("mlp", std::make_shared<Parts>());
    inner_ = mlp->add("c_fc", std::make_shared<Conv1d>(shape.width, shape.inner, kDeviation));
    outer_ = mlp->add("c_proj", std::make_shared<Conv1d>(shape.inner, shape.width, residual));
  }

  static constexpr double kDeviation = 0.02;  // of initial weights
  static constexpr double kDropout = 0.1;
  static torch::nn::LayerNorm layer_norm(std::int64_t width) {
    return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(1e-5));
  }

  layers::Biased attend(const at::Tensor& normed, std::size_t layer, KeyValueCache* cache) {
    const auto qkv = qkv_->forward(normed).chunk(3, -1);
    const at::Tensor q = layers::split_heads(qkv[0], heads_);
    at::Tensor k = layers::split_heads(qkv[1], heads_);
    at::Tensor v = layers::split_heads(qkv[2], heads_);
    if (cache != nullptr) std::tie(k, v) = cache->add(layer, k, v);
    const at::Tensor seen = layers::causal_attention(
        q, k, v, kDropout, is_training(), cache != nullptr ? cache->mask() : at::Tensor());
    return attended_->product(layers::join_heads(seen));
  }

  layers::Biased mlp(const at::Tensor& normed) {
    return outer_->product(layers::gelu_tanh(inner_->product(normed)));
  }

  torch::nn::LayerNorm norm1{nullptr};
  torch::nn::LayerNorm norm2{nullptr};

 private:
  std::int64_t heads_;
  std::shared_ptr<Conv1d> qkv_;
  std::shared_ptr<Conv1d> attended_;
  std::shared_ptr<Conv1d> inner_;
  std::shared_ptr<Conv1d> outer_;
};

// Hugging Face's GPT2LMHeadModel: learned positions, pre-norm, the head shares the weights of the
// embedding. 124,439,808 parameters with the default shape.
class Gpt2 final : public Decoder {
 public:
  explicit Gpt2(const InputShape& shape) : positions_(shape.length) {
    const DecoderShape& decoder = shape.decoder;
    auto body = register_module("transformer", std::make_shared<Parts>());
    words_ = body->add("wte", torch::nn::Embedding(shape.vocabulary, decoder.width));
    places_ = body->add("wpe", torch::nn::Embedding(positions_, decoder.width));
    auto blocks = body->folder("h");
    for (std::int64_t i = 0; i < decoder.layers; ++i) {
      blocks_.push_back(blocks->add(i, std::make_shared<Gpt2Block>(decoder)));
    }
    norm_ = body->add("ln_f", Gpt2Block::layer_norm(decoder.width));
    draw::embeddings(*this, Gpt2Block::kDeviation);
  }

  at::Tensor head() override { return words_->weight; }

 protected:
  at::Tensor hidden(const at::Tensor& tokens, KeyValueCache* cache) override {
    const std::int64_t longest = cache == nullptr ? tokens.size(1) : cache->longest();
    TORCH_CHECK(longest <= positions_, "texts may have at most ", positions_, " tokens, not ",
                longest);
    const at::Tensor places = cache == nullptr ? places_->weight.narrow(0, 0, longest)
                                               : at::embedding(places_->weight, cache->positions());
    at::Tensor x = layers::embed(tokens, words_) + places;
    x = layers::dropout(x, Gpt2Block::kDropout, is_training());
    at::Tensor normed = blocks_.front()->norm1->forward(x);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      Gpt2Block& block = *blocks_[i];
      auto& next = i + 1 < blocks_.size() ? blocks_[i + 1]->norm1 : norm_;
      const auto attended = layers::add_then_norm(block.attend(normed, i, cache), x, block.norm2,
                                                  Gpt2Block::kDropout, is_training());
      const auto mixed = layers::add_then_norm(block.mlp(attended.normed), attended.sum, next,
                                               Gpt2Block::kDropout, is_training());
      x = mixed.sum;
      normed = mixed.normed;
    }
    return normed;
  }

 private:
  std::int64_t positions_;
  torch::nn::Embedding words_{nullptr};
  torch::nn::Embedding places_{nullptr};
  std::vector<std::shared_ptr<Gpt2Block>> blocks_;
  torch::nn::LayerNorm norm_{nullptr};
};

}  // namespace tacho
