#pragma once

#include <memory>
#include <vector>

#include "training/train/models/adaptable.h"
#include "training/train/models/decoder.h"
#include "training/train/models/draw.h"
#include "training/train/models/parts.h"

namespace tacho {

class RmsNorm final : public torch::nn::Module {
 public:
  explicit RmsNorm(std::int64_t width) : weight_(register_parameter("weight", at::ones({width}))) {}

  at::Tensor forward(const at::Tensor& x) { return layers::rms_norm(x, weight_, kEpsilon); }

 private:
  static constexpr double kEpsilon = 1e-5;
  at::Tensor weight_;
};

// A linear layer without a bias.
class LlamaLinear final : public torch::nn::LinearImpl, public Adaptable {
 public:
  LlamaLinear(std::int64_t inputs, std::int64_t outputs)
      : LinearImpl(torch::nn::LinearOptions(inputs, outputs).bias(false)) {}

  at::Tensor forward(const at::Tensor& x) { return adapted(x, at::linear(x, weight)); }

 private:
  torch::nn::Module& module() override { return *this; }
  at::Tensor matrix() override { return weight; }
};

class LlamaLayer final : public torch::nn::Module {
 public:
  explicit LlamaLayer(const DecoderShape& shape) : heads_(shape.heads), kv_heads_(shape.kv_heads) {
    const std::int64_t shared = shape.width / shape.heads * shape.kv_heads;
    norm1 = register_module("input_layernorm", std::make_shared<RmsNorm>(shape.width));
    auto attention = register_module("self_attn", std::make_shared<Parts>());
    query_ = attention->add("q_proj", linear(shape.width, shape.width));
    key_ = attention->add("k_proj", linear(shape.width, shared));
    value_ = attention->add("v_proj", linear(shape.width, shared));
    attended_ = attention->add("o_proj", linear(shape.width, shape.width));
    norm2 = register_module("post_attention_layernorm", std::make_shared<RmsNorm>(shape.width));
    auto mlp = register_module("mlp", std::make_shared<Parts>());
    gate_ = mlp->add("gate_proj", linear(shape.width, shape.inner));
    up_ = mlp->add("up_proj", linear(shape.width, shape.inner));
    down_ = mlp->add("down_proj", linear(shape.inner, shape.width));
  }

  // `rotation`: cosines and sines of the tokens' positions.
  at::Tensor attend(const at::Tensor& normed, const layers::Rotation& rotation, std::size_t layer,
                    KeyValueCache* cache) {
    const at::Tensor q = layers::rotate(heads_of(query_, normed, heads_), rotation);
    at::Tensor k = layers::rotate(heads_of(key_, normed, kv_heads_), rotation);
    at::Tensor v = heads_of(value_, normed, kv_heads_);
    if (cache != nullptr) std::tie(k, v) = cache->add(layer, k, v);
    const at::Tensor seen = layers::causal_attention(
        q, k, v, 0, is_training(), cache != nullptr ? cache->mask() : at::Tensor());
    return attended_->forward(layers::join_heads(seen));
  }

  at::Tensor mlp(const at::Tensor& normed) {
    return down_->forward(layers::gated_silu(gate_->forward(normed), up_->forward(normed)));
  }

  std::shared_ptr<RmsNorm> norm1;
  std::shared_ptr<RmsNorm> norm2;

 private:
  using Linear = std::shared_ptr<LlamaLinear>;

  static Linear linear(std::int64_t inputs, std::int64_t outputs) {
    return std::make_shared<LlamaLinear>(inputs, outputs);
  }
  static at::Tensor heads_of(const Linear& layer, const at::Tensor& x, std::int64_t heads) {
    return layers::split_heads(layer->forward(x), heads);
  }

  std::int64_t heads_;
  std::int64_t kv_heads_;
  Linear query_;
  Linear key_;
  Linear value_;
  Linear attended_;
  Linear gate_;
  Linear up_;
  Linear down_;
};

// Hugging Face's LlamaForCausalLM: RMSNorm, rotary positions, SwiGLU, grouped-query attention.
class Llama final : public Decoder {
 public:
  explicit Llama(const InputShape& shape) : head_width_(shape.decoder.width / shape.decoder.heads) {
    const DecoderShape& decoder = shape.decoder;
    auto body = register_module("model", std::make_shared<Parts>());
    words_ = body->add("embed_tokens", torch::nn::Embedding(shape.vocabulary, decoder.width));
    auto blocks = body->folder("layers");
    for (std::int64_t i = 0; i < decoder.layers; ++i) {
      layers_.push_back(blocks->add(i, std::make_shared<LlamaLayer>(decoder)));
    }
    norm_ = body->add("norm", std::make_shared<RmsNorm>(decoder.width));
    if (!decoder.tied) {
      head_ = register_module(
          "lm_head",
          torch::nn::Linear(torch::nn::LinearOptions(decoder.width, shape.vocabulary).bias(false)));
    }
    draw::linears(*this, kDeviation);
    draw::embeddings(*this, kDeviation);
  }

  at::Tensor head() override { return head_.is_empty() ? words_->weight : head_->weight; }

 protected:
  at::Tensor hidden(const at::Tensor& tokens, KeyValueCache* cache) override {
    at::Tensor x = layers::embed(tokens, words_);
    const at::Tensor positions =
        cache == nullptr ? at::arange(tokens.size(1), tokens.options()) : cache->positions();
    const auto rotation = layers::rotation(positions, head_width_, kRotaryBase, x.options());
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      LlamaLayer& layer = *layers_[i];
      x = x + layer.attend(layer.norm1->forward(x), rotation, i, cache);
      x = x + layer.mlp(layer.norm2->forward(x));
    }
    return norm_->forward(x);
  }

 private:
  static constexpr double kDeviation = 0.02;
  static constexpr double kRotaryBase = 500'000;

  std::int64_t head_width_;
  torch::nn::Embedding words_{nullptr};
  std::vector<std::shared_ptr<LlamaLayer>> layers_;
  std::shared_ptr<RmsNorm> norm_;
  torch::nn::Linear head_{nullptr};
};

}  // namespace tacho
