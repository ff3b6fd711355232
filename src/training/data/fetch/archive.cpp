#include "training/data/fetch/archive.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <set>

#include "base/file.h"
#include "training/data/fetch/archive_reader.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Result<void> write_entry(ArchiveReader& reader, const fs::path& target, Bytes limit) {
  const UniqueFd fd(::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) return system_error(target, errno);
  for (std::int64_t written = 0;;) {
    TACHO_TRY(bytes, reader.block());
    if (bytes.empty()) return {};
    written += static_cast<std::int64_t>(bytes.size());
    if (written > limit.count) {
      return reader.bad(fmt::format("larger than the limit of {}", human(limit)));
    }
    TACHO_CHECK(write_all(fd.get(), bytes, target));
  }
}

}  // namespace

Result<void> extract(const fs::path& archive, std::span<const fs::path> paths,
                     const fs::path& folder, Bytes limit) {
  TACHO_TRY(reader, ArchiveReader::open(archive));
  std::set<fs::path> wanted(paths.begin(), paths.end());
  while (true) {
    TACHO_TRY(more, reader.next_entry());
    if (!more) break;
    const fs::path path = reader.path();
    if (!reader.is_file() || wanted.erase(path) == 0) continue;
    TACHO_CHECK(write_entry(reader, folder / path.filename(), limit));
  }
  if (!wanted.empty()) {
    return Error{ErrorCode::invalid, fmt::format("{}: does not contain {}", archive.string(),
                                                 wanted.begin()->string())};
  }
  return {};
}

}  // namespace tacho
