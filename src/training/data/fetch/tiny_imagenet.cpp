#include "training/data/fetch/tiny_imagenet.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/file.h"
#include "training/data/fetch/class_folders.h"
#include "training/data/fetch/pack_images.h"
#include "training/data/fetch/prepared_dataset.h"
#include "training/data/fetch/small_images.h"
#include "training/data/fetch/table_text.h"
#include "training/data/fetch/tiny_labels.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kValFolder = "val/images/";
constexpr std::string_view kTrainFolder = "train/";

// Returns the folder of the published tables, "" or with a slash at its end.
std::optional<std::string> find_tables(const std::vector<std::string>& files) {
  for (const std::string_view table : {"wnids.txt", "val/val_annotations.txt"}) {
    for (const std::string& file : files) {
      if (!file.ends_with(table)) continue;
      std::string prefix = file.substr(0, file.size() - table.size());
      if (prefix.empty() || prefix.ends_with('/')) return prefix;
    }
  }
  return std::nullopt;
}

// Returns the place of an image in the published layout; nothing for other files.
Result<std::optional<PlacedImage>> place_of(const ImageSource& source, const std::string& entry,
                                            std::string_view prefix, const TinyLabels& labels) {
  std::string_view path = entry;
  if (!path.starts_with(prefix)) return std::optional<PlacedImage>();
  path.remove_prefix(prefix.size());
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.starts_with('.')) return std::optional<PlacedImage>();
  if (path.starts_with(kValFolder)) {
    const auto label = labels.class_of_val.find(file);
    if (label == labels.class_of_val.end()) {
      return source.bad(entry, "not listed in val_annotations.txt");
    }
    return std::optional(PlacedImage{entry, ImagePart::eval, label->second});
  }
  if (!path.starts_with(kTrainFolder) || path.ends_with(".txt")) {
    return std::optional<PlacedImage>();
  }
  path.remove_prefix(kTrainFolder.size());
  const std::string_view id = path.substr(0, path.find('/'));
  if (!labels.classes.contains(id)) return source.bad(entry, "its class is not in wnids.txt");
  if (path != fmt::format("{}/images/{}", id, file) ||
      !is_numbered(file, fmt::format("{}_", id), ".JPEG")) {
    return source.bad(entry,
                      fmt::format("not named like an image of its class (expected {}_0.JPEG)", id));
  }
  return std::optional(PlacedImage{entry, ImagePart::train, std::string(id)});
}

Result<std::vector<PlacedImage>> place_all(const ImageSource& source,
                                           const std::vector<std::string>& files,
                                           std::string_view prefix, const TinyLabels& labels) {
  std::vector<PlacedImage> images;
  for (const std::string& file : files) {
    TACHO_TRY(place, place_of(source, file, prefix, labels));
    if (place) images.push_back(*std::move(place));
  }
  const auto eval = std::count_if(images.begin(), images.end(), [](const PlacedImage& image) {
    return image.part == ImagePart::eval;
  });
  if (const auto annotated = std::ssize(labels.class_of_val); eval != annotated) {
    return source.bad(fmt::format("{} validation images, expected {}", eval, annotated));
  }
  return images;
}

Result<void> check_labels(const DatasetInfo& info, const ImageSource& source,
                          const TinyLabels& labels) {
  const auto expect = [&source](std::int64_t count, std::string_view what,
                                std::int64_t expected) -> Result<void> {
    if (expected == 0 || count == expected) return {};
    return source.bad(fmt::format("{} {}, expected {}; to prepare only a part, add --subset", count,
                                  what, expected));
  };
  TACHO_CHECK(expect(std::ssize(labels.classes), "classes in wnids.txt", info.classes));
  return expect(std::ssize(labels.class_of_val), "images in val_annotations.txt", info.eval_images);
}

// Reads the published tables below `prefix`.
Result<TinyLabels> read_tables(const DatasetInfo& info, const ImageSource& source,
                               std::string_view prefix) {
  TACHO_TRY(reader, source.open());
  TACHO_TRY(labels, read_tiny_labels(*reader, prefix));
  TACHO_CHECK(check_labels(info, source, labels));
  return labels;
}

}  // namespace

Result<fs::path> prepare_tiny_imagenet(const DatasetInfo& info, const fs::path& from,
                                       const fs::path& home, const Say& say, const Watch& watch) {
  const ImageSource source = find_image_source(info, from);
  say(fmt::format("listing {}", source.path.string()));
  TACHO_TRY(files, list_source(source, watch));
  const auto prefix = find_tables(files);
  TinyLabels labels;  // stays empty for class folders
  if (prefix) {
    TACHO_TRY(tables, read_tables(info, source, *prefix));
    labels = std::move(tables);
  }
  TACHO_TRY(images,
            prefix ? place_all(source, files, *prefix, labels) : find_class_folders(source, files));
  if (images.empty()) return no_images_in(info, source.path);
  TACHO_TRY(plan, ImagePlan::make(info, source, std::move(images)));

  TACHO_TRY(dataset, PreparedDataset::take(info, home));
  const StagingFolder part(dataset.part());
  TACHO_CHECK(make_folders(part.path()));
  say(fmt::format("decoding {}", source.path.string()));
  TACHO_CHECK(pack_images(info, source, plan, part.path(), watch));
  std::vector<ClassLine> rows = plan.classes();
  for (ClassLine& row : rows) {
    if (const auto words = labels.words.find(row.name); words != labels.words.end()) {
      row.words = words->second;
    }
  }
  TACHO_CHECK(write_class_table(part.path(), rows));
  TACHO_CHECK(dataset.publish(part.path()));
  return dataset.target();
}

}  // namespace tacho
