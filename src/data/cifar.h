#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "data/image_data.h"

namespace tacho {

enum class CifarLabels { one, coarse_and_fine };
CifarLabels cifar_labels_of(const DatasetInfo& info);

// Appends the records of a CIFAR file in the "binary version" to `set`, which is empty or made by
// this: their label (the fine one of two) and 3 x 32 x 32 pixels, plane by plane. The file, plain
// or gzip-compressed, must hold exactly `bytes`, and every label must be of a class.
Result<void> append_cifar(const std::filesystem::path& file, std::int64_t bytes, CifarLabels labels,
                          ImageSet& set);

// From the files of the catalogue's entry: the last is to evaluate with.
Result<ImageData> load_cifar(const DatasetInfo& info, const std::filesystem::path& folder);

}  // namespace tacho
