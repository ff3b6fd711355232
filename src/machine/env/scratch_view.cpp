#include "machine/env/scratch_view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/split.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// The kernel wants the whole map in one write, and no other file in its place.
Result<void> write_map(const char* file, const std::string& text) {
  const UniqueFd map(::open(file, O_WRONLY | O_CLOEXEC));
  if (!map || ::write(map.get(), text.data(), text.size()) < 0) return system_error(file, errno);
  return {};
}

// Without privileges, a namespace of users with only this one gives the right to mount.
Result<void> enter_namespace() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (user != 0 || ::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return system_error("unshare", errno);
    TACHO_CHECK(write_map("/proc/self/setgroups", "deny"));
    TACHO_CHECK(write_map("/proc/self/uid_map", fmt::format("{0} {0} 1", user)));
    TACHO_CHECK(write_map("/proc/self/gid_map", fmt::format("{0} {0} 1", group)));
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return system_error("/", errno);
  return {};
}

// Field 5 of a line is the mount's path, with octal escapes of spaces, tabs, newlines, backslashes.
std::string unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 3 >= field.size()) {
      text += field[i];
      continue;
    }
    text += static_cast<char>((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 +
                              (field[i + 3] - '0'));
    i += 3;
  }
  return text;
}

Result<std::vector<fs::path>> mounts_below(const fs::path& folder) {
  TACHO_TRY(text, read_file("/proc/self/mountinfo"));
  std::vector<fs::path> found;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, ' ');
    if (fields.size() < 5) continue;
    const fs::path mount = unescaped(fields[4]);
    const fs::path inside = mount.lexically_relative(folder);
    if (!inside.empty() && inside != "." && *inside.begin() != "..") found.push_back(mount);
  }
  return found;
}

std::string open_path(const UniqueFd& fd) { return fmt::format("/proc/self/fd/{}", fd.get()); }

}  // namespace

Result<ScratchView> ScratchView::enter(const std::vector<fs::path>& folders,
                                       const std::vector<fs::path>& shared) {
  for (const fs::path& folder : folders) {
    TACHO_TRY(mounts, mounts_below(folder));
    for (const fs::path& mount : mounts) {
      if (std::ranges::find(shared, mount) != shared.end()) continue;
      return Error{
          ErrorCode::unavailable,
          fmt::format("{} is a mount within it, whose files would be missing", mount.string())};
    }
  }
  ScratchView view(std::make_unique<ScratchFolder>());
  const auto open_all = [](const std::vector<fs::path>& paths,
                           std::vector<Place>& places) -> Result<void> {
    for (const fs::path& path : paths) {
      UniqueFd before(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!before) return system_error(path, errno);
      places.push_back({path, std::move(before)});
    }
    return {};
  };
  TACHO_CHECK(enter_namespace());
  // Opened in this namespace, because folders of another cannot be mounted.
  TACHO_CHECK(open_all(folders, view.folders_));
  TACHO_CHECK(open_all(shared, view.shared_));
  TACHO_CHECK(view.mount_all());
  return view;
}

Result<void> ScratchView::mount_all() const {
  const fs::path layers = scratch_->path() / std::to_string(round_);
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    const Place& place = folders_[i];
    const fs::path upper = layers / std::to_string(i) / "upper";
    const fs::path work = layers / std::to_string(i) / "work";
    TACHO_CHECK(make_folders(upper));
    TACHO_CHECK(make_folders(work));
    // Names of descriptors, because names of folders may contain commas and colons.
    const std::string options = fmt::format("userxattr,lowerdir={},upperdir={},workdir={}",
                                            open_path(place.before), upper.string(), work.string());
    if (::mount("overlay", place.path.c_str(), "overlay", 0, options.c_str()) != 0) {
      return system_error(place.path, errno);
    }
  }
  for (const Place& place : shared_) {
    const std::string before = open_path(place.before);
    if (::mount(before.c_str(), place.path.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      return system_error(place.path, errno);
    }
  }
  return {};
}

Result<void> ScratchView::unmount_all() const {
  for (const auto* places : {&shared_, &folders_}) {
    for (std::size_t i = places->size(); i-- > 0;) {
      const fs::path& path = (*places)[i].path;
      if (::umount2(path.c_str(), MNT_DETACH) != 0) return system_error(path, errno);
    }
  }
  return {};
}

// Unmounts first, because the files to remove may lie within a folder that is overlaid.
ScratchView::~ScratchView() {
  if (scratch_) (void)unmount_all().ok();
}

Result<void> ScratchView::reset() {
  TACHO_CHECK(unmount_all());
  std::error_code ignored;
  fs::remove_all(scratch_->path() / std::to_string(round_), ignored);
  ++round_;
  return mount_all();
}

}  // namespace tacho
