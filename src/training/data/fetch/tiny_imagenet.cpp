#include "training/data/fetch/tiny_imagenet.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/file.h"
#include "training/data/fetch/archive_reader.h"
#include "training/data/fetch/class_table.h"
#include "training/data/fetch/folder_reader.h"
#include "training/data/fetch/prepared_dataset.h"
#include "training/data/fetch/store_image.h"
#include "training/data/fetch/table_text.h"
#include "training/data/fetch/tiny_labels.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kValFolder = "val/images/";
constexpr std::string_view kTrainFolder = "train/";
constexpr std::int64_t kMaxImages = 10'000'000;  // if the catalog has no number

// The archive or its unpacked folder, and the prefix of every path in it.
struct TinySource {
  fs::path path;
  bool is_folder;
  std::string prefix;

  [[nodiscard]] Result<std::unique_ptr<EntryReader>> open() const {
    if (is_folder) {
      TACHO_TRY(reader, FolderReader::open(path));
      return std::unique_ptr<EntryReader>(std::make_unique<FolderReader>(std::move(reader)));
    }
    TACHO_TRY(reader, ArchiveReader::open(path));
    return std::unique_ptr<EntryReader>(std::make_unique<ArchiveReader>(std::move(reader)));
  }
};

Result<TinySource> find_tiny_source(const DatasetInfo& info, const fs::path& from) {
  std::error_code unreadable;
  const std::string in_archive = std::string(info.archive_folder) + "/";
  if (!fs::is_directory(from, unreadable)) return TinySource{from, false, in_archive};
  for (const fs::path& folder : {from, from / info.archive_folder}) {
    if (fs::exists(folder / "wnids.txt", unreadable)) return TinySource{folder, true, ""};
  }
  if (fs::exists(from / info.archive, unreadable)) {
    return TinySource{from / info.archive, false, in_archive};
  }
  return Error{ErrorCode::not_found, fmt::format("{}: contains neither {} nor its files; get {}",
                                                 from.string(), info.archive, info.needs)};
}

// The target of an image below the dataset's folder; "" for other files.
Result<fs::path> target_of(const EntryReader& reader, std::string_view prefix,
                           const TinyLabels& labels) {
  std::string_view path = reader.path();
  if (!path.starts_with(prefix)) return fs::path();
  path.remove_prefix(prefix.size());
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.starts_with('.')) return fs::path();
  if (path.starts_with(kValFolder)) {
    const auto label = labels.class_of_val.find(file);
    if (label == labels.class_of_val.end()) {
      return reader.bad("not listed in val_annotations.txt");
    }
    return fs::path("val") / label->second / file;
  }
  if (!path.starts_with(kTrainFolder) || path.ends_with(".txt")) return fs::path();
  path.remove_prefix(kTrainFolder.size());
  const std::string_view id = path.substr(0, path.find('/'));
  if (!labels.classes.contains(id)) return reader.bad("its class is not in wnids.txt");
  if (path != fmt::format("{}/images/{}", id, file) ||
      !is_numbered(file, fmt::format("{}_", id), ".JPEG")) {
    return reader.bad(fmt::format("not named like an image of its class (expected {}_0.JPEG)", id));
  }
  return fs::path("train") / id / file;
}

Result<void> unpack(const DatasetInfo& info, const TinySource& source, const TinyLabels& labels,
                    const fs::path& folder, const Watch& watch) {
  std::int64_t room = info.train_images > 0 ? info.train_images + info.eval_images : kMaxImages;
  for (const std::string& id : labels.classes) TACHO_CHECK(make_folders(folder / "train" / id));
  for (const auto& [file, id] : labels.class_of_val) TACHO_CHECK(make_folders(folder / "val" / id));
  TACHO_TRY(reader, source.open());
  while (true) {
    TACHO_TRY(more, reader->next());
    if (!more) return {};
    if (watch.should_stop()) return Error{ErrorCode::failed, "stopped; nothing was written"};
    TACHO_TRY(target, target_of(*reader, source.prefix, labels));
    if (!target.empty()) {
      if (--room < 0) return reader->bad("more images than expected");
      TACHO_CHECK(store_image(*reader, folder / target));
    }
    watch.tell(reader->progress());
  }
}

Error wrong_count(const TinySource& source, std::int64_t count, std::string_view of_what,
                  std::int64_t expected) {
  return {ErrorCode::invalid,
          fmt::format("{}: {} {}, expected {}", source.path.string(), count, of_what, expected)};
}

Result<std::vector<ClassLine>> check_counts(const DatasetInfo& info, const TinySource& source,
                                            const TinyLabels& labels, const fs::path& folder) {
  TACHO_TRY(images, load_image_folder(folder));
  std::vector<ClassLine> rows = count_classes(images);
  const std::int64_t of_each = info.classes > 0 ? info.train_images / info.classes : 0;
  for (ClassLine& row : rows) {
    if (of_each > 0 && row.train != of_each) {
      return wrong_count(source, row.train, "training images of " + row.name, of_each);
    }
    if (const auto words = labels.words.find(row.name); words != labels.words.end()) {
      row.words = words->second;
    }
  }
  const auto annotated = static_cast<std::int64_t>(labels.class_of_val.size());
  if (const auto eval = totals_of(rows).eval; eval != annotated) {
    return wrong_count(source, eval, "validation images", annotated);
  }
  return rows;
}

// Called before anything is unpacked.
Result<void> check_labels(const DatasetInfo& info, const TinySource& source,
                          const TinyLabels& labels) {
  const auto classes = static_cast<std::int64_t>(labels.classes.size());
  if (info.classes > 0 && classes != info.classes) {
    return wrong_count(source, classes, "classes in wnids.txt", info.classes);
  }
  const auto annotated = static_cast<std::int64_t>(labels.class_of_val.size());
  if (info.eval_images > 0 && annotated != info.eval_images) {
    return wrong_count(source, annotated, "images in val_annotations.txt", info.eval_images);
  }
  return {};
}

}  // namespace

Result<fs::path> prepare_tiny_imagenet(const DatasetInfo& info, const fs::path& from,
                                       const fs::path& home, const Say& say, const Watch& watch) {
  TACHO_TRY(source, find_tiny_source(info, from));
  say(fmt::format("reading the labels in {}", source.path.string()));
  TACHO_TRY(reader, source.open());
  TACHO_TRY(labels, read_tiny_labels(*reader, source.prefix));
  TACHO_CHECK(check_labels(info, source, labels));

  TACHO_TRY(dataset, PreparedDataset::take(info, home));
  const StagingFolder partial(dataset.partial());
  say(fmt::format("unpacking {}", source.path.string()));
  TACHO_CHECK(unpack(info, source, labels, partial.path(), watch));
  TACHO_TRY(rows, check_counts(info, source, labels, partial.path()));
  TACHO_CHECK(write_class_table(partial.path(), rows));
  TACHO_CHECK(dataset.publish(partial.path()));
  return dataset.target();
}

}  // namespace tacho
