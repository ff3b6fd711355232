#include "experiments/predictions/dataset_fit.h"

#include <fmt/format.h>

#include "predict/speed/software.h"
#include "training/data/catalog.h"

namespace tacho {
namespace {

Result<void> read_by(const std::string& model, std::string_view reads, const DatasetInfo& dataset) {
  const std::string_view holds = kInputKinds.of(dataset.input);
  if (reads == holds) return {};
  return Error{ErrorCode::usage,
               fmt::format("{} reads {}, but {} holds {}", model, reads, dataset.name, holds)};
}

}  // namespace

Result<void> check_fit(const std::string& model, const std::string& data, const ModelCosts& costs) {
  TACHO_TRY(dataset, find_dataset(data));
  if (const auto own = find_model(own_model_of(model)); own.ok()) {
    return read_by(model, kInputKinds.of((*own)->input), *dataset);
  }
  switch (costs.input_of(model)) {
    case ModelInput::unknown:
      return {};
    case ModelInput::images:
      return read_by(model, kInputKinds.of(InputKind::image), *dataset);
    case ModelInput::text:  // in sentences or documents
      if (dataset->input != InputKind::image) return {};
      return read_by(model, kInputKinds.of(InputKind::text), *dataset);
    case ModelInput::other:
      break;
  }
  return Error{ErrorCode::usage,
               fmt::format("{} is for another task than {} ({}); leave out the dataset, or name "
                           "another model",
                           model, data, kInputKinds.of(dataset->input))};
}

}  // namespace tacho
