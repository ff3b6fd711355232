#include "record/model_catalog.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"

namespace tacho {
namespace {

constexpr OptimizerSpec sgd(double learning_rate) {
  return {.kind = OptimizerKind::sgd, .learning_rate = learning_rate, .momentum = 0.9};
}

constexpr OptimizerSpec adam(double learning_rate) {
  return {.kind = OptimizerKind::adam, .learning_rate = learning_rate};
}

constexpr std::array kModels = {
    ModelInfo{"lenet5", InputKind::image, "LeNet-5: two 5x5 convolutions, three linear layers",
              sgd(0.02)},
    ModelInfo{"lstm", InputKind::text, "embedding, LSTM, last state, linear", adam(2e-3)},
    ModelInfo{"mlp", InputKind::image, "one hidden layer of 128", sgd(0.1), 128},
    ModelInfo{"mnist-cnn", InputKind::image,
              "3x3 convolutions of 32 and 64, max-pool, dropout, 128, classes", sgd(0.02)},
};

}  // namespace

std::span<const ModelInfo> model_catalog() { return kModels; }

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const ModelInfo& model : kModels) names.push_back(model.name);
  return names;
}

Result<const ModelInfo*> find_model(std::string_view name) {
  const auto* at = std::find_if(kModels.begin(), kModels.end(),
                                [name](const ModelInfo& model) { return model.name == name; });
  if (at != kModels.end()) return at;
  return Error{ErrorCode::usage, unknown_name("model", name, model_names())};
}

}  // namespace tacho
