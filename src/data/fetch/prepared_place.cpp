#include "data/fetch/prepared_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Result<void> move_folder(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return system_error(to, errno);
  return {};
}

}  // namespace

void PassingFolder::clear() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<PreparedPlace> PreparedPlace::take(const DatasetInfo& info, const fs::path& home) {
  const fs::path target = prepared_folder(info, home);
  const fs::path beside = target.parent_path();
  TACHO_CHECK(make_folders(beside));
  TACHO_TRY(lock,
            FileLock::take(beside / fmt::format(".{}.lock", info.name), FileLock::Kind::exclusive));
  return PreparedPlace(target, std::move(lock));
}

fs::path PreparedPlace::hidden(std::string_view ending) const {
  return target_.parent_path() / fmt::format(".{}{}", target_.filename().string(), ending);
}

fs::path PreparedPlace::part() const { return hidden(".part"); }

fs::path PreparedPlace::partial() const { return target_.string() + ".partial"; }

Result<void> PreparedPlace::publish(const fs::path& finished) const {
  // Before the rename, or a power cut could leave a whole folder of empty files.
  TACHO_CHECK(sync_disk_of(finished));
  const PassingFolder old(hidden(".old"));
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
