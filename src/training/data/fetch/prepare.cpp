#include "training/data/fetch/prepare.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/file.h"
#include "training/data/fetch/archive.h"
#include "training/data/fetch/imagenet.h"
#include "training/data/fetch/prepare_imdb.h"
#include "training/data/fetch/prepared_dataset.h"
#include "training/data/fetch/small_images.h"
#include "training/data/fetch/tiny_imagenet.h"
#include "training/data/gz_file.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Tables of reviews of which any number is accepted.
constexpr std::array kAnyReviews = {DatasetFile{"train.tsv"}, DatasetFile{"dev.tsv"}};

Result<void> copy_uncompressed(const fs::path& from, const fs::path& to) {
  TACHO_TRY(source, GzFile::open(from));
  const UniqueFd target(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!target) return system_error(to, errno);
  std::vector<char> buffer(1 << 18);
  for (std::size_t got = buffer.size(); got == buffer.size();) {
    TACHO_TRY(count, source.read(buffer));
    got = count;
    TACHO_CHECK(write_all(target.get(), {buffer.data(), got}, to));
  }
  return {};
}

Result<fs::path> prepare_files(const DatasetInfo& info, const fs::path& from, const fs::path& home,
                               const Say& say) {
  const bool counted = info.packing == Packing::reviews;
  TACHO_CHECK(check(verify(counted ? subset_of(info) : info, from, say)));
  std::vector<ClassLine> counts;
  if (counted) {
    TACHO_TRY(rows, count_reviews(info, from));
    counts = std::move(rows);
  }
  TACHO_TRY(dataset, PreparedDataset::take(info, home));
  const StagingFolder part(dataset.part());
  TACHO_CHECK(make_folders(part.path()));
  if (counted) TACHO_CHECK(write_class_table(part.path(), counts));
  for (const DatasetFile& file : info.files) {
    say(fmt::format("copying {}", file.name));
    TACHO_CHECK(copy_uncompressed(file_in(from, file.name), part.path() / file.name));
  }
  TACHO_CHECK(dataset.publish(part.path()));
  return dataset.target();
}

Result<fs::path> prepare_archive(const DatasetInfo& info, const fs::path& from,
                                 const fs::path& home, const Say& say) {
  std::error_code unreadable;
  const fs::path archive = fs::is_directory(from, unreadable) ? from / info.archive : from;
  if (!fs::exists(archive, unreadable)) {
    const fs::path unpacked = from / info.archive_folder;
    return prepare_files(info, fs::exists(unpacked, unreadable) ? unpacked : from, home, say);
  }

  std::vector<fs::path> paths;
  for (const DatasetFile& file : info.files) {
    paths.push_back(fs::path(info.archive_folder) / file.name);
  }
  TACHO_TRY(dataset, PreparedDataset::take(info, home));
  const StagingFolder part(dataset.part());
  TACHO_CHECK(make_folders(part.path()));
  say(fmt::format("unpacking {}", archive.string()));
  TACHO_CHECK(extract(archive, paths, part.path()));
  TACHO_CHECK(check(verify(info, part.path(), say)).in(archive.string()));
  TACHO_CHECK(dataset.publish(part.path()));
  return dataset.target();
}

}  // namespace

Result<fs::path> prepare(const DatasetInfo& info, const fs::path& from, const fs::path& home,
                         const Say& say, const Watch& watch) {
  switch (info.packing) {
    case Packing::files:
      return prepare_files(info, from, home, say);
    case Packing::archive:
      return prepare_archive(info, from, home, say);
    case Packing::small_images:
      return prepare_small_images(info, from, home, say, watch);
    case Packing::tiny_imagenet:
      return prepare_tiny_imagenet(info, from, home, say, watch);
    case Packing::imagenet:
      return prepare_imagenet(info, from, home, say, watch);
    case Packing::reviews:
      return has_review_tables(from) ? prepare_files(info, from, home, say)
                                     : prepare_imdb(info, from, home, say);
    case Packing::in_place:
      break;
  }
  TACHO_CHECK(check(verify(info, from, say, watch)));
  return from;
}

DatasetInfo subset_of(DatasetInfo info) {
  info.classes = 0;
  info.train_images = 0;
  info.eval_images = 0;
  if (info.packing == Packing::reviews) info.files = kAnyReviews;
  return info;
}

}  // namespace tacho
