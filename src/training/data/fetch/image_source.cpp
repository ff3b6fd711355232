#include "training/data/fetch/image_source.h"

#include <fmt/format.h>

#include "training/data/fetch/archive_reader.h"
#include "training/data/fetch/folder_reader.h"
#include "training/data/image_folder.h"

namespace tacho {

namespace fs = std::filesystem;

Result<std::unique_ptr<EntryReader>> ImageSource::open() const {
  if (is_folder) {
    TACHO_TRY(reader, FolderReader::open(path));
    return std::unique_ptr<EntryReader>(std::make_unique<FolderReader>(std::move(reader)));
  }
  TACHO_TRY(reader, ArchiveReader::open(path));
  return std::unique_ptr<EntryReader>(std::make_unique<ArchiveReader>(std::move(reader)));
}

Error ImageSource::bad(std::string_view file, std::string_view why) const {
  const std::string place =
      is_folder ? (path / file).string() : fmt::format("{}: {}", path.string(), file);
  return {ErrorCode::invalid, fmt::format("{}: {}", place, why)};
}

Error ImageSource::bad(std::string_view why) const {
  return {ErrorCode::invalid, fmt::format("{}: {}", path.string(), why)};
}

ImageSource find_image_source(const DatasetInfo& info, const fs::path& from) {
  std::error_code unreadable;
  if (!fs::is_directory(from, unreadable)) return {from, false};
  for (const fs::path& folder : {from, from / info.archive_folder}) {
    if (fs::is_directory(folder / kTrainPart, unreadable)) return {folder, true};
  }
  if (fs::exists(from / info.archive, unreadable)) return {from / info.archive, false};
  return {from, true};
}

Result<std::vector<std::string>> list_source(const ImageSource& source, const Watch& watch) {
  std::vector<std::string> files;
  TACHO_TRY(reader, source.open());
  while (true) {
    TACHO_TRY(more, reader->next());
    if (!more) return files;
    if (watch.should_stop()) return stopped_before_writing();
    files.emplace_back(reader->path());
  }
}

}  // namespace tacho
