#include "training/data/fetch/imagenet.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "training/data/fetch/class_table.h"
#include "training/data/fetch/devkit.h"
#include "training/data/fetch/imagenet_unpacking.h"
#include "training/data/fetch/partial_folder.h"
#include "training/data/fetch/prepared_dataset.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainArchive = "ILSVRC2012_img_train.tar";
constexpr const char* kValArchive = "ILSVRC2012_img_val.tar";
constexpr const char* kDevkitArchive = "ILSVRC2012_devkit_t12.tar.gz";

// One line per archive, so that another release with the same name is detected.
Result<std::string> origin_of(const DatasetInfo& info, const fs::path& from) {
  std::string origin;
  for (const char* name : {kTrainArchive, kValArchive, kDevkitArchive}) {
    struct stat status {};
    if (::stat((from / name).c_str(), &status) != 0) {
      if (errno != ENOENT && errno != ENOTDIR) return system_error(from / name, errno);
      return Error{ErrorCode::not_found,
                   fmt::format("there is no {}; {} needs {} in one folder", (from / name).string(),
                               info.name, info.needs)};
    }
    origin += fmt::format("{}\t{}\t{}.{:09}\n", name, status.st_size, status.st_mtim.tv_sec,
                          status.st_mtim.tv_nsec);
  }
  return origin;
}

Result<void> check_total(const fs::path& archive, std::int64_t count, std::int64_t expected) {
  if (expected == 0 || count == expected) return {};
  return Error{ErrorCode::invalid, fmt::format("{}: {} images in total, expected {}",
                                               archive.string(), count, expected)};
}

// Counts the files in the folder, whichever attempt wrote them.
Result<void> write_checked_table(const DatasetInfo& info, const Devkit& devkit,
                                 const ImagenetArchives& archives, const fs::path& folder) {
  TACHO_TRY(images, load_image_folder(folder));
  std::vector<ClassLine> rows = count_classes(images);
  const SampleTotals totals = totals_of(rows);
  TACHO_CHECK(check_total(archives.train, totals.train, info.train_images));
  TACHO_CHECK(
      check_total(archives.val, totals.eval, static_cast<std::int64_t>(devkit.answers.size())));
  std::map<std::string_view, std::string_view> words;
  for (const Synset& synset : devkit.classes) words[synset.id] = synset.words;
  for (ClassLine& row : rows) row.words = words[row.name];
  return write_class_table(folder, rows);
}

}  // namespace

Result<fs::path> prepare_imagenet(const DatasetInfo& info, const fs::path& from,
                                  const fs::path& home, const Say& say, const Watch& watch) {
  TACHO_TRY(origin, origin_of(info, from));
  say(fmt::format("reading the labels in {}", kDevkitArchive));
  TACHO_TRY(devkit, read_devkit(from / kDevkitArchive, info));
  TACHO_TRY(dataset, PreparedDataset::take(info, home));
  TACHO_TRY(partial, PartialFolder::open(dataset.partial(), origin));

  const ImagenetArchives archives{from / kTrainArchive, from / kValArchive};
  say(fmt::format("unpacking {} and {}", kTrainArchive, kValArchive));
  auto made = ImagenetUnpacking(archives, devkit, partial, watch).run();
  if (made.ok()) made = write_checked_table(info, devkit, archives, partial.path());
  if (!made.ok() && made.error().code == ErrorCode::invalid) {
    partial.remove();
    return made.error();
  }
  partial.drop_unfinished();
  if (!made.ok()) {
    return Error{made.error().code,
                 fmt::format("{}; what is finished is kept in {}: run it again to continue",
                             made.error().message, partial.path().string())};
  }
  TACHO_CHECK(dataset.publish(partial.path()));
  PartialFolder::tidy(dataset.target());
  return dataset.target();
}

}  // namespace tacho
