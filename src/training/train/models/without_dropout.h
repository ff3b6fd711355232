#pragma once

#include "training/train/models/classifier.h"

namespace tacho {

// Training mode without dropout, so that results can be compared with another implementation. Batch
// norms stay in training mode; so do LSTMs, because cuDNN's has no backward otherwise.
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
