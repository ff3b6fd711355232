#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "training/data/image_data.h"

namespace tacho {

enum class CifarLabels { one, coarse_and_fine };
CifarLabels cifar_labels_of(const DatasetInfo& info);

// Appends the records of a CIFAR file ("binary version") to `set`, which must be empty or filled by
// this function: their label (the fine one of two) and 3 x 32 x 32 pixels, plane by plane. The
// file, plain or gzip-compressed, must have exactly `bytes` bytes, and every label must be valid.
Result<void> append_cifar(const std::filesystem::path& file, std::int64_t bytes, CifarLabels labels,
                          ImageSet& set);

// Loads the files of the catalog entry; the last one is for evaluation.
Result<ImageData> load_cifar(const DatasetInfo& info, const std::filesystem::path& folder);

}  // namespace tacho
