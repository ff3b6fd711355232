#include "training/data/locate_input.h"

#include <fmt/format.h>

#include "core/record/model_catalog.h"
#include "training/data/image_file.h"
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
  const bool prepared = dataset->side > 0 && has_image_files(folder);
  const bool decodes_files = dataset->form == DatasetForm::image_folder && !prepared;
  if (decodes_files && spec.trivial_augment) {
    return Error{ErrorCode::usage,
                 fmt::format("--trivial-augment is for prepared images such as cifar10 and "
                             "tiny-imagenet; {} has image files",
                             spec.data)};
  }
  return LocatedInput{dataset, folder, decodes_files};
}

}  // namespace tacho
