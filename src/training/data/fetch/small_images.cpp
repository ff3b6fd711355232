#include "training/data/fetch/small_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "training/data/fetch/archive.h"
#include "training/data/fetch/class_folders.h"
#include "training/data/fetch/pack_images.h"
#include "training/data/fetch/prepared_dataset.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cifar_paths(const DatasetInfo& info) {
  std::vector<fs::path> paths;
  for (const DatasetFile& file : info.files) {
    paths.push_back(fs::path(info.archive_folder) / file.name);
  }
  return paths;
}

// The folder with CIFAR's unpacked files; one missing file is reported by their reader.
std::optional<fs::path> cifar_folder(const DatasetInfo& info, const fs::path& from) {
  std::error_code unreadable;
  for (const fs::path& folder : {from, from / info.archive_folder}) {
    for (const DatasetFile& file : info.files) {
      if (fs::exists(file_in(folder, file.name), unreadable)) return folder;
    }
  }
  return std::nullopt;
}

bool lists_cifar(const DatasetInfo& info, const std::vector<std::string>& files) {
  const auto wanted = cifar_paths(info);
  return std::any_of(files.begin(), files.end(), [&wanted](const std::string& file) {
    return std::find(wanted.begin(), wanted.end(), fs::path(file)) != wanted.end();
  });
}

// Fills the folder that becomes the dataset.
Result<void> fill(const DatasetInfo& info, const fs::path& from, const fs::path& folder,
                  const Say& say, const Watch& watch) {
  if (const auto files = cifar_folder(info, from)) {
    say(fmt::format("reading {}", files->string()));
    return pack_cifar(info, *files, folder, watch);
  }
  const ImageSource source = find_image_source(info, from);
  say(fmt::format("listing {}", source.path.string()));
  TACHO_TRY(files, list_source(source, watch));
  if (lists_cifar(info, files)) {
    const StagingFolder unpacked(folder / ".unpacked");
    TACHO_CHECK(make_folders(unpacked.path()));
    say(fmt::format("unpacking {}", source.path.string()));
    TACHO_CHECK(extract(source.path, cifar_paths(info), unpacked.path()));
    return pack_cifar(info, unpacked.path(), folder, watch).in(source.path.string());
  }
  TACHO_TRY(images, find_class_folders(source, files));
  if (images.empty()) return no_images_in(info, source.path);
  TACHO_TRY(plan, ImagePlan::make(info, source, std::move(images)));
  say(fmt::format("decoding {}", source.path.string()));
  TACHO_CHECK(pack_images(info, source, plan, folder, watch));
  return write_class_table(folder, plan.classes());
}

}  // namespace

Result<fs::path> prepare_small_images(const DatasetInfo& info, const fs::path& from,
                                      const fs::path& home, const Say& say, const Watch& watch) {
  TACHO_TRY(dataset, PreparedDataset::take(info, home));
  const StagingFolder part(dataset.part());
  TACHO_CHECK(make_folders(part.path()));
  TACHO_CHECK(fill(info, from, part.path(), say, watch));
  TACHO_CHECK(dataset.publish(part.path()));
  return dataset.target();
}

Error no_images_in(const DatasetInfo& info, const fs::path& from) {
  return {ErrorCode::not_found,
          fmt::format("{}: contains neither {}, its files nor images in train/CLASS and val/CLASS; "
                      "get {}",
                      from.string(), info.archive, info.needs)};
}

}  // namespace tacho
