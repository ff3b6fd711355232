#pragma once

#include "train/models/classifier.h"

namespace tacho {

// As in training, but nothing is dropped, so that the result can be held against another's. Batch
// norms stay in training; so do LSTMs, for cuDNN's has no way back otherwise.
inline void train_without_dropout(Classifier& model) {
  model.eval();
  for (const auto& module : model.modules(/*include_self=*/false)) {
    if (module->as<torch::nn::BatchNorm2d>() != nullptr ||
        module->as<torch::nn::LSTM>() != nullptr) {
      module->train();
    }
  }
}

}  // namespace tacho
