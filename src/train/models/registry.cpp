#include "train/models/registry.h"

#include <array>

#include "record/model_catalog.h"
#include "train/models/lenet5.h"
#include "train/models/lstm.h"
#include "train/models/mlp.h"
#include "train/models/mnist_cnn.h"

namespace tacho {
namespace {

using Maker = std::shared_ptr<Classifier> (*)(const InputShape&);

template <class Model>
std::shared_ptr<Classifier> make(const InputShape& shape) {
  return std::make_shared<Model>(shape);
}

constexpr std::array<std::pair<std::string_view, Maker>, 4> kMakers = {{
    {"lenet5", &make<LeNet5>},
    {"lstm", &make<LstmClassifier>},
    {"mlp", &make<Mlp>},
    {"mnist-cnn", &make<MnistCnn>},
}};

}  // namespace

Result<std::shared_ptr<Classifier>> make_model(std::string_view name, const InputShape& shape) {
  for (const auto& [known, maker] : kMakers) {
    if (known != name) continue;
    try {
      return maker(shape);
    } catch (const c10::Error& problem) {
      return Error{ErrorCode::invalid, std::string(name) + ": " + problem.what_without_backtrace()};
    }
  }
  TACHO_TRY(info, find_model(name));
  broken_invariant("a model of the catalogue that cannot be built: " + std::string(info->name));
}

std::int64_t parameter_count(const torch::nn::Module& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

}  // namespace tacho
