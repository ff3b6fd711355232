#include "training/data/fetch/imagenet_unpacking.h"

#include <fmt/format.h>

#include <set>

#include "base/file.h"
#include "training/data/fetch/store_image.h"
#include "training/data/fetch/table_text.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxImagesPerClass = 1'000'000;
constexpr std::string_view kValPrefix = "ILSVRC2012_val_";

std::int64_t size_of(const fs::path& file) {
  std::error_code unreadable;
  const auto size = fs::file_size(file, unreadable);
  return unreadable ? 0 : static_cast<std::int64_t>(size);
}

// Returns 17 for "ILSVRC2012_val_00000017.JPEG" and 0 for any other name.
std::size_t val_number(std::string_view name) {
  constexpr std::size_t kDigits = 8;
  const bool numbered = is_numbered(name, kValPrefix, ".JPEG") &&
                        name.size() == kValPrefix.size() + kDigits + std::size(".JPEG") - 1;
  const auto number = parse_count(name.substr(numbered ? kValPrefix.size() : 0, kDigits));
  return numbered && number.ok() ? static_cast<std::size_t>(*number) : 0;
}

}  // namespace

ImagenetUnpacking::ImagenetUnpacking(const ImagenetArchives& archives, const Devkit& devkit,
                                     const PartialFolder& folder, const Watch& watch)
    : archives_(archives),
      devkit_(devkit),
      folder_(folder),
      watch_(watch),
      total_(size_of(archives.train) + size_of(archives.val)) {
  for (const Synset& synset : devkit.classes) classes_[synset.id] = &synset;
}

Result<void> ImagenetUnpacking::run() {
  TACHO_CHECK(unpack_train());
  before_ = size_of(archives_.train);
  return unpack_val();
}

Result<void> ImagenetUnpacking::report_progress(const ArchiveReader& archive) const {
  if (watch_.should_stop()) return Error{ErrorCode::failed, "stopped"};
  Progress now = archive.progress();
  now.done += before_;
  now.total = total_;
  now.found = found_;
  watch_.tell(now);
  return {};
}

Result<void> ImagenetUnpacking::unpack_train() {
  TACHO_TRY(outer, ArchiveReader::open(archives_.train));
  std::set<std::string, std::less<>> seen;
  while (true) {
    TACHO_TRY(more, outer.next());
    if (!more) break;
    std::string_view id = outer.path();
    if (!id.ends_with(".tar")) return outer.bad("not the archive of a class, like n01440764.tar");
    id.remove_suffix(4);
    const auto found = classes_.find(id);
    if (found == classes_.end()) return outer.bad("its class is not in the devkit");
    if (!seen.emplace(id).second) return outer.bad("occurs twice");
    if (folder_.has(fs::path("train") / id)) {
      found_ += outer.size().count;
      continue;
    }
    TACHO_CHECK(unpack_class(outer, *found->second));
  }
  for (const auto& [id, synset] : classes_) {
    if (seen.contains(id)) continue;
    return Error{ErrorCode::invalid,
                 fmt::format("{}: does not contain {}.tar; it has {} of {} classes",
                             archives_.train.string(), id, seen.size(), classes_.size())};
  }
  return {};
}

Result<void> ImagenetUnpacking::unpack_class(ArchiveReader& outer, const Synset& synset) {
  const std::int64_t most = synset.train_images.value_or(kMaxImagesPerClass);
  const std::string prefix = synset.id + "_";
  TACHO_TRY(folder, folder_.begin());
  TACHO_TRY(images, ArchiveReader::within(outer));
  std::int64_t count = 0;
  while (true) {
    TACHO_CHECK(report_progress(outer));
    TACHO_TRY(more, images.next());
    if (!more) break;
    const std::string_view name = images.path();
    if (!is_numbered(name, prefix, ".JPEG")) {
      return images.bad(fmt::format("not named like an image of its class ({}7.JPEG)", prefix));
    }
    if (++count > most) return images.bad(fmt::format("more than the {} images expected", most));
    TACHO_CHECK(store_image(images, folder / name));
  }
  if (count == 0 || count < synset.train_images.value_or(0)) {
    return outer.bad(fmt::format("{} images, expected {}", count,
                                 synset.train_images ? std::to_string(most) : "some"));
  }
  return folder_.finish(fs::path("train") / synset.id);
}

Result<void> ImagenetUnpacking::unpack_val() {
  if (folder_.has("val")) return {};
  TACHO_TRY(images, ArchiveReader::open(archives_.val));
  TACHO_TRY(folder, folder_.begin());
  for (const std::size_t answer : std::set(devkit_.answers.begin(), devkit_.answers.end())) {
    TACHO_CHECK(make_folders(folder / devkit_.classes[answer].id));
  }
  std::size_t count = 0;
  while (true) {
    TACHO_CHECK(report_progress(images));
    TACHO_TRY(more, images.next());
    if (!more) break;
    const std::string_view name = images.path();
    const std::size_t number = val_number(name);
    if (number < 1 || number > devkit_.answers.size()) {
      return images.bad(fmt::format("not an image numbered 1 to {}, like {}00000001.JPEG",
                                    devkit_.answers.size(), kValPrefix));
    }
    const Synset& synset = devkit_.classes[devkit_.answers[number - 1]];
    TACHO_CHECK(store_image(images, folder / synset.id / name));
    ++count;
  }
  if (count != devkit_.answers.size()) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: {} images, expected {}", archives_.val.string(), count,
                             devkit_.answers.size())};
  }
  return folder_.finish("val");
}

}  // namespace tacho
