#include "training/data/fetch/prepare.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/file.h"
#include "training/data/fetch/archive.h"
#include "training/data/fetch/imagenet.h"
#include "training/data/fetch/prepare_imdb.h"
#include "training/data/fetch/prepared_dataset.h"
#include "training/data/fetch/tiny_imagenet.h"
#include "training/data/gz_file.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

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
  TACHO_CHECK(check(verify(info, from, say)));
  TACHO_TRY(dataset, PreparedDataset::take(info, home));
  const StagingFolder part(dataset.part());
  TACHO_CHECK(make_folders(part.path()));
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
  const bool is_folder = fs::is_directory(from, unreadable);
  const fs::path archive = is_folder ? from / info.archive : from;
  if (is_folder && !fs::exists(archive, unreadable)) return prepare_files(info, from, home, say);

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
  return info;
}

}  // namespace tacho
