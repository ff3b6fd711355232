#include "experiments/predictions/dataset_size.h"

#include <fmt/format.h>

#include <algorithm>

#include "training/data/catalog.h"

namespace tacho {
namespace {

constexpr std::int64_t kIdxHeader = 8;  // bytes of a file of labels, before one byte per sample
// GLUE's release, the larger of the two in use.
constexpr DatasetSize kGlueSst2{67'349, 872};

double labels_in(const DatasetFile& file, const DatasetInfo& info) {
  if (file.per_label > 0) return static_cast<double>(file.per_label) * info.labels.size();
  return static_cast<double>(file.bytes - kIdxHeader);
}

}  // namespace

Result<DatasetSize> dataset_size(std::string_view name) {
  TACHO_TRY(info, find_dataset(name));
  if (info->train_images > 0) {
    return DatasetSize{static_cast<double>(info->train_images),
                       static_cast<double>(info->eval_images)};
  }
  if (info->name == "sst2") return kGlueSst2;
  std::vector<double> sizes;  // of the training part, then of the other
  for (const DatasetFile& file : info->files) {
    if (file.per_label > 0 || file.name.find("labels") != std::string_view::npos) {
      sizes.push_back(labels_in(file, *info));
    }
  }
  if (sizes.size() != 2) {
    return Error{ErrorCode::usage,
                 fmt::format("'{}' may have any number of samples; name another dataset", name)};
  }
  return DatasetSize{sizes[0], sizes[1]};
}

}  // namespace tacho
