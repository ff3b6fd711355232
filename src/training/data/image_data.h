#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "training/data/catalog.h"

namespace tacho {

struct ImageSet {
  std::int64_t count = 0;
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint8_t> pixels;  // count x channels x height x width
  std::vector<std::int64_t> labels;  // each in [0, classes)
};

struct ImageData {
  ImageSet train;
  ImageSet eval;  // of the same channels, height and width
  std::int64_t classes = 0;
};

// Reads a dataset that fits into memory: DatasetForm::idx, cifar10 or cifar100.
Result<ImageData> load_images(const DatasetInfo& info, const std::filesystem::path& folder);

}  // namespace tacho
