#include "training/data/fetch/folder_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"

namespace tacho {

namespace fs = std::filesystem;

Result<FolderReader> FolderReader::open(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code unreadable;
    if (at->is_directory(unreadable) && !at->is_symlink(unreadable)) continue;
    paths.push_back(at->path().lexically_relative(folder).string());
  }
  if (error) return system_error(folder, error.value());
  std::sort(paths.begin(), paths.end());
  return FolderReader(folder, std::move(paths));
}

Result<bool> FolderReader::next() {
  if (at_ == paths_.size()) return false;
  ++at_;
  std::error_code unreadable;
  if (!fs::is_regular_file(fs::symlink_status(folder_ / path(), unreadable))) {
    return bad("neither a file nor a folder");
  }
  return true;
}

Result<std::string_view> FolderReader::content(Bytes limit) {
  TACHO_TRY(bytes, read_file(folder_ / path(), limit));
  content_ = std::move(bytes);
  return std::string_view(content_);
}

Progress FolderReader::progress() const {
  return {.what = name_,
          .done = static_cast<std::int64_t>(at_),
          .total = static_cast<std::int64_t>(paths_.size()),
          .unit = Progress::Unit::files};
}

Error FolderReader::bad(std::string_view why) const {
  return {ErrorCode::invalid, fmt::format("{}: {}", (folder_ / path()).string(), why)};
}

}  // namespace tacho
