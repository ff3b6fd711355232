#include "training/data/fetch/partial_folder.h"

#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "training/data/fetch/prepared_dataset.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Hidden, so that neither is part of the dataset.
constexpr const char* kOriginFile = ".origin";
constexpr const char* kUnfinished = ".unfinished";

bool was_made_from(const fs::path& folder, std::string_view origin) {
  const auto said = read_file(folder / kOriginFile, Bytes{1 << 16});
  return said.ok() && *said == origin;
}

}  // namespace

Result<PartialFolder> PartialFolder::open(fs::path path, std::string_view origin) {
  PartialFolder folder(std::move(path));
  if (!was_made_from(folder.path_, origin)) {
    folder.remove();
    TACHO_CHECK(make_folders(folder.path_));
    TACHO_CHECK(write_file_atomically(folder.path_ / kOriginFile, origin));
  }
  folder.drop_unfinished();
  return folder;
}

bool PartialFolder::has(const fs::path& piece) const {
  std::error_code unreadable;
  return fs::is_directory(path_ / piece, unreadable);
}

fs::path PartialFolder::unfinished() const { return path_ / kUnfinished; }

Result<fs::path> PartialFolder::begin() const {
  drop_unfinished();
  TACHO_CHECK(make_folders(unfinished()));
  return unfinished();
}

Result<void> PartialFolder::finish(const fs::path& piece) const {
  const fs::path target = path_ / piece;
  TACHO_CHECK(make_folders(target.parent_path()));
  // Otherwise the piece could exist with empty files after a power loss.
  TACHO_CHECK(sync_disk_of(unfinished()));
  if (::rename(unfinished().c_str(), target.c_str()) != 0) return system_error(target, errno);
  return {};
}

void PartialFolder::drop_unfinished() const {
  std::error_code ignored;
  fs::remove_all(unfinished(), ignored);
}

void PartialFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void PartialFolder::tidy(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / kOriginFile, ignored);
}

}  // namespace tacho
