#include "training/data/locate_input.h"

#include <fmt/format.h>

#include "core/record/model_catalog.h"
#include "training/data/locate.h"

namespace tacho {

Result<LocatedInput> locate_input(const RunSpec& spec, const std::filesystem::path& home) {
  TACHO_TRY(model, find_model(spec.model));
  TACHO_TRY(dataset, find_dataset(spec.data));
  if (model->input != dataset->input) {
    return Error{ErrorCode::usage, fmt::format("{} reads {}, but {} holds {}", spec.model,
                                               kInputKinds.of(model->input), spec.data,
                                               kInputKinds.of(dataset->input))};
  }
  TACHO_TRY(folder, locate(*dataset, home, spec.data_folder));
  return LocatedInput{dataset, folder};
}

}  // namespace tacho
