#include "experiments/predictions/dataset_fit.h"

#include <fmt/format.h>

#include "predict/speed/software.h"
#include "training/data/catalog.h"

namespace tacho {
namespace {

ModelInput input_of(const std::string& model, const ModelCosts& costs) {
  const auto own = find_model(own_model_of(model));
  if (!own.ok()) return costs.input_of(model);
  return (*own)->input == InputKind::image ? ModelInput::images : ModelInput::text;
}

}  // namespace

Result<void> check_fit(const std::string& model, const std::string& data, const ModelCosts& costs) {
  TACHO_TRY(dataset, find_dataset(data));
  const ModelInput input = input_of(model, costs);
  const auto held = dataset->input == InputKind::image ? ModelInput::images : ModelInput::text;
  if (input == ModelInput::unknown || input == held) return {};
  const std::string_view holds = kInputKinds.of(dataset->input);
  if (input == ModelInput::other) {
    return Error{ErrorCode::usage,
                 fmt::format("{} is for another task than {} ({}); leave out the dataset, or name "
                             "another model",
                             model, data, holds)};
  }
  return Error{ErrorCode::usage,
               fmt::format("{} reads {}, but {} holds {}", model,
                           input == ModelInput::images ? "images" : "text", data, holds)};
}

}  // namespace tacho
