#include "data/fetch/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kArchiveBlock = 1 << 16;

struct FreeArchive {
  void operator()(struct archive* handle) const { ::archive_read_free(handle); }
};
using Archive = std::unique_ptr<struct archive, FreeArchive>;

Error archive_says(const fs::path& path, struct archive* handle) {
  const char* text = ::archive_error_string(handle);
  return {ErrorCode::invalid,
          fmt::format("{}: {}", path.string(), text != nullptr ? text : "not a .tar.gz")};
}

fs::path path_of(archive_entry* entry) {
  const char* path = ::archive_entry_pathname(entry);
  return path != nullptr && ::archive_entry_filetype(entry) == AE_IFREG ? path : "";
}

}  // namespace

Result<void> extract(const fs::path& archive, std::span<const fs::path> paths,
                     const fs::path& folder) {
  const Archive handle(::archive_read_new());
  ::archive_read_support_filter_gzip(handle.get());
  ::archive_read_support_format_tar(handle.get());
  if (::archive_read_open_filename(handle.get(), archive.c_str(), kArchiveBlock) != ARCHIVE_OK) {
    return archive_says(archive, handle.get());
  }
  std::set<fs::path> wanted(paths.begin(), paths.end());
  archive_entry* entry = nullptr;
  int status = ARCHIVE_OK;
  while ((status = ::archive_read_next_header(handle.get(), &entry)) >= ARCHIVE_WARN) {
    if (status == ARCHIVE_EOF) break;
    const fs::path path = path_of(entry);
    if (wanted.erase(path) == 0) continue;
    const fs::path target = folder / path.filename();
    const UniqueFd fd(::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) return system_error(target, errno);
    if (::archive_read_data_into_fd(handle.get(), fd.get()) != ARCHIVE_OK) {
      return archive_says(archive, handle.get());
    }
  }
  if (status != ARCHIVE_EOF) return archive_says(archive, handle.get());
  if (!wanted.empty()) {
    return Error{ErrorCode::invalid, fmt::format("{}: there is no {} in it", archive.string(),
                                                 wanted.begin()->string())};
  }
  return {};
}

}  // namespace tacho
