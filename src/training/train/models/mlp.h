#pragma once

#include "training/train/models/classifier.h"
#include "training/train/models/layers.h"

namespace tacho {

// One hidden layer of 128: the smallest model that learns MNIST, which shows the cost of a step
// besides arithmetic.
class Mlp final : public Classifier {
 public:
  explicit Mlp(const InputShape& shape)
      : hidden_(register_module(
            "fc1", torch::nn::Linear(shape.channels * shape.height * shape.width, 128))),
        output_(register_module("fc2", torch::nn::Linear(128, shape.classes))) {}

  at::Tensor logits(const Batch& batch) override {
    return layers::linear(layers::linear_relu(batch.inputs.flatten(1), hidden_), output_);
  }
  [[nodiscard]] Workload workload() const override { return Workload::product; }

 private:
  torch::nn::Linear hidden_;
  torch::nn::Linear output_;
};

}  // namespace tacho
