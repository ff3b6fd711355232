#include "training/data/image_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "training/data/cifar.h"
#include "training/data/idx.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::int64_t>> load_labels(const fs::path& file, std::int64_t classes) {
  TACHO_TRY(labels, read_idx(file, 1));
  const auto wrong =
      std::find_if(labels.values.begin(), labels.values.end(),
                   [classes](std::uint8_t label) { return std::int64_t{label} >= classes; });
  if (wrong != labels.values.end()) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: item {}: label {} (expected 0 to {})", file.string(),
                             wrong - labels.values.begin() + 1, *wrong, classes - 1)};
  }
  return std::vector<std::int64_t>(labels.values.begin(), labels.values.end());
}

// `part` is the prefix of the file names in every IDX dataset: "train" or "t10k".
Result<ImageSet> load_part(const fs::path& folder, std::string_view part, std::int64_t classes) {
  TACHO_TRY(images, read_idx(file_in(folder, fmt::format("{}-images-idx3-ubyte", part)), 3));
  TACHO_TRY(labels,
            load_labels(file_in(folder, fmt::format("{}-labels-idx1-ubyte", part)), classes));
  if (images.shape[0] != static_cast<std::int64_t>(labels.size())) {
    return Error{ErrorCode::invalid, fmt::format("{}: {}: {} images but {} labels", folder.string(),
                                                 part, images.shape[0], labels.size())};
  }
  return ImageSet{images.shape[0],  1, images.shape[1], images.shape[2], std::move(images.values),
                  std::move(labels)};
}

Result<ImageData> load_idx(const DatasetInfo& info, const fs::path& folder) {
  TACHO_TRY(train, load_part(folder, "train", info.classes));
  TACHO_TRY(eval, load_part(folder, "t10k", info.classes));
  if (train.height != eval.height || train.width != eval.width) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: training images are {} x {}, but evaluation images are {} x {}",
                             folder.string(), train.height, train.width, eval.height, eval.width)};
  }
  return ImageData{std::move(train), std::move(eval), info.classes};
}

Result<ImageSet> map_part(const fs::path& path) {
  TACHO_TRY(file, ImageFile::open(path));
  const ImageFileHeader& header = file.header();
  ImageSet set{.count = header.count,
               .channels = header.channels,
               .height = header.height,
               .width = header.width,
               .labels = file.labels()};
  set.file = std::make_shared<const ImageFile>(std::move(file));
  return set;
}

Result<ImageData> map_files(const fs::path& folder) {
  TACHO_TRY(train, map_part(folder / kTrainImages));
  TACHO_TRY(eval, map_part(folder / kEvalImages));
  const ImageFileHeader& one = train.file->header();
  const ImageFileHeader& other = eval.file->header();
  if (one.channels != other.channels || one.height != other.height || one.width != other.width ||
      one.classes != other.classes) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: {} and {} have different image sizes or classes; prepare the "
                             "dataset again",
                             folder.string(), kTrainImages, kEvalImages)};
  }
  ImageData data{.classes = static_cast<std::int64_t>(one.classes.size()),
                 .class_names = one.classes,
                 .statistics = one.statistics};
  data.train = std::move(train);
  data.eval = std::move(eval);
  return data;
}

}  // namespace

std::span<const std::uint8_t> ImageSet::all_pixels() const {
  const std::span<const std::uint8_t> all = file ? file->pixels() : std::span(pixels);
  return all.first(static_cast<std::size_t>(count * channels * height * width));
}

void ImageSet::keep_first(std::int64_t images) {
  if (images >= count) return;
  count = images;
  labels.resize(static_cast<std::size_t>(count));
  if (!file) pixels.resize(static_cast<std::size_t>(count * channels * height * width));
}

Result<ImageData> load_images(const DatasetInfo& info, const fs::path& folder) {
  if (info.side > 0 && has_image_files(folder)) return map_files(folder);
  switch (info.form) {
    case DatasetForm::idx:
      return load_idx(info, folder);
    case DatasetForm::cifar10:
    case DatasetForm::cifar100:
      return load_cifar(info, folder);
    case DatasetForm::image_folder:
    case DatasetForm::documents:
    case DatasetForm::sentences:
      break;
  }
  return Error{ErrorCode::usage, fmt::format("{}: not a dataset of images of one size", info.name)};
}

}  // namespace tacho
