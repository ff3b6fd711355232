#pragma once

#include <string>
#include <utility>

#include "training/train/models/layers.h"

namespace tacho {

// A namespace in the names of weights: "features" in "features.0.weight".
class Parts final : public torch::nn::Module {
 public:
  template <class Layer>
  Layer add(const std::string& name, Layer layer) {
    return register_module(name, std::move(layer));
  }
  // Named like the layers of Python's Sequential; the model passes the number, because Python
  // counts layers without weights too.
  template <class Layer>
  Layer add(std::int64_t number, Layer layer) {
    return add(std::to_string(number), std::move(layer));
  }
  std::shared_ptr<Parts> folder(const std::string& name) {
    return add(name, std::make_shared<Parts>());
  }
};

// A convolution without a bias and the batch norm after it, named "0" and "1".
class ConvNorm final : public torch::nn::Module {
 public:
  explicit ConvNorm(torch::nn::Conv2dOptions options)
      : convolution_(register_module("0", torch::nn::Conv2d(options.bias(false)))),
        norm_(register_module("1", torch::nn::BatchNorm2d(options.out_channels()))) {}

  at::Tensor forward(const at::Tensor& x, layers::Activation activation) {
    return layers::batch_norm_act(convolution_->forward(x), norm_, activation);
  }

 private:
  torch::nn::Conv2d convolution_;
  torch::nn::BatchNorm2d norm_;
};

}  // namespace tacho
