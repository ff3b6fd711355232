#include "machine/env/mount_point.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

bool is_machine_folder(const fs::path& inside) {
  constexpr std::array kFolders = {"tmp", "dev", "proc", "sys"};
  return std::find(kFolders.begin(), kFolders.end(), *inside.begin()) != kFolders.end();
}

Result<void> make_entry(const fs::path& place, bool folder) {
  if (folder) {
    if (::mkdir(place.c_str(), 0755) != 0 && errno != EEXIST) return system_error(place, errno);
    return {};
  }
  const UniqueFd file(::open(place.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) return system_error(place, errno);
  return {};
}

}  // namespace

Result<void> make_mount_point(const fs::path& image, const Bind& bind) {
  const fs::path inside = fs::path(bind.target).lexically_normal().relative_path();
  if (inside.empty() || is_machine_folder(inside)) return {};
  std::error_code problem;
  const bool folder = fs::is_directory(bind.source, problem);
  fs::path place = image;
  for (auto part = inside.begin(); part != inside.end(); ++part) {
    if (part->empty()) continue;  // after a trailing '/'
    place /= *part;
    const fs::file_status found = fs::symlink_status(place, problem);
    if (found.type() == fs::file_type::symlink) {
      return Error{
          ErrorCode::usage,
          fmt::format("{} cannot be bound: {} is a link in the image; use the path it points to",
                      bind.target, place.string())};
    }
    if (!fs::exists(found)) {
      TACHO_CHECK(make_entry(place, folder || std::next(part) != inside.end()));
    }
  }
  return {};
}

}  // namespace tacho
