#include "data/fetch/prepare.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/file.h"
#include "data/fetch/prepare_imdb.h"
#include "data/gz_file.h"
#include "data/locate.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// A folder that is only on the way: cleared of what an interrupted run left, and gone at the end.
class PassingFolder {
 public:
  explicit PassingFolder(fs::path path) : path_(std::move(path)) { clear(); }
  ~PassingFolder() { clear(); }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  void clear() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path path_;
};

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
  // Before the rename, or a power cut could leave a whole folder of empty files.
  if (::fsync(target.get()) != 0) return system_error(to, errno);
  return {};
}

Result<void> move_folder(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return system_error(to, errno);
  return {};
}

}  // namespace

Result<fs::path> prepare(const DatasetInfo& info, const fs::path& from, const fs::path& home,
                         const Say& say) {
  if (needs_prepare_imdb(info, from)) return prepare_imdb(info, from, home, say);
  TACHO_CHECK(check(verify(info, from, say)));
  const fs::path target = prepared_folder(info, home);
  const fs::path beside = target.parent_path();
  TACHO_CHECK(make_folders(beside));
  const auto lock =
      FileLock::take(beside / fmt::format(".{}.lock", info.name), FileLock::Kind::exclusive);
  if (!lock.ok()) return lock.error();

  const PassingFolder part(beside / fmt::format(".{}.part", info.name));
  const PassingFolder old(beside / fmt::format(".{}.old", info.name));
  TACHO_CHECK(make_folders(part.path()));
  for (const DatasetFile& file : info.files) {
    say(fmt::format("copying {}", file.name));
    TACHO_CHECK(copy_uncompressed(file_in(from, file.name), part.path() / file.name));
  }
  if (auto moved = move_folder(target, old.path());
      !moved.ok() && moved.error().code != ErrorCode::not_found) {
    return moved.error();
  }
  TACHO_CHECK(move_folder(part.path(), target));
  return target;
}

}  // namespace tacho
