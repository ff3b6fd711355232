#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/channel_levels.h"
#include "training/data/image_file.h"

namespace tacho {

struct ImageSet {
  std::int64_t count = 0;
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<std::uint8_t> pixels;  // count x channels x height x width; empty if in `file`
  std::vector<std::int64_t> labels;  // each in [0, classes)
  std::shared_ptr<const ImageFile> file = {};  // shared by the copies of a set

  // Pixels of the first `count` images, wherever they are.
  [[nodiscard]] std::span<const std::uint8_t> all_pixels() const;
  void keep_first(std::int64_t images);
};

struct ImageData {
  ImageSet train;
  ImageSet eval;  // of the same channels, height and width
  std::int64_t classes = 0;
  // Of prepared files, which have the names of their classes and statistics of the training part:
  std::vector<std::string> class_names = {};
  std::optional<ChannelStatistics> statistics = {};
};

// Reads a dataset of images of one size: prepared files, or DatasetForm::idx, cifar10 or cifar100.
Result<ImageData> load_images(const DatasetInfo& info, const std::filesystem::path& folder);

}  // namespace tacho
