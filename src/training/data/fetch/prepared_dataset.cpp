#include "training/data/fetch/prepared_dataset.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "training/data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Result<void> move_folder(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return system_error(to, errno);
  return {};
}

}  // namespace

void StagingFolder::clear() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<PreparedDataset> PreparedDataset::take(const DatasetInfo& info, const fs::path& home) {
  const fs::path target = prepared_folder(info, home);
  const fs::path parent = target.parent_path();
  TACHO_CHECK(make_folders(parent));
  TACHO_TRY(lock,
            FileLock::take(parent / fmt::format(".{}.lock", info.name), FileLock::Kind::exclusive));
  return PreparedDataset(target, std::move(lock));
}

fs::path PreparedDataset::hidden(std::string_view ending) const {
  return target_.parent_path() / fmt::format(".{}{}", target_.filename().string(), ending);
}

fs::path PreparedDataset::part() const { return hidden(".part"); }

fs::path PreparedDataset::partial() const { return target_.string() + ".partial"; }

Result<void> PreparedDataset::publish(const fs::path& finished) const {
  // Before the rename; otherwise a power loss could leave a folder of empty files.
  TACHO_CHECK(sync_disk_of(finished));
  const StagingFolder old(hidden(".old"));
  if (auto moved = move_folder(target_, old.path());
      !moved.ok() && moved.error().code != ErrorCode::not_found) {
    return moved.error();
  }
  return move_folder(finished, target_);
}

Result<void> sync_disk_of(const fs::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::syncfs(fd.get()) != 0) return system_error(folder, errno);
  return {};
}

}  // namespace tacho
