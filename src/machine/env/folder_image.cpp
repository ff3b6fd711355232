#include "machine/env/folder_image.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_object.h"
#include "base/version.h"
#include "machine/env/mount_point.h"
#include "machine/env/own_images.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

fs::file_time_type time_of_image() {
  return std::chrono::file_clock::from_sys(
      std::chrono::sys_seconds(std::chrono::seconds(kImageTime)));
}

// Engines mount over these; not all engines create missing ones.
Result<void> make_mounted_over(const fs::path& root) {
  const auto is_there = [&](const std::string& name) {
    std::error_code problem;
    return fs::exists(fs::symlink_status(root / name, problem));
  };
  for (const char* name : {"dev", "proc", "sys", "tmp"}) {
    if (!is_there(name)) TACHO_CHECK(make_folders(root / name));
  }
  for (const std::string name : {"etc/passwd", "etc/group", "etc/hosts", "etc/resolv.conf"}) {
    if (is_there(name)) continue;
    TACHO_CHECK(make_mount_point(root, {"/dev/null", "/" + name}));
    std::error_code problem;  // a wrong time would only change the image's digest
    fs::last_write_time(root / name, time_of_image(), problem);
  }
  return {};
}

// The folders of the layer must not be links, which may lead out of the image.
Result<void> make_layer_folders(const fs::path& root, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    TACHO_CHECK(make_mount_point(root, {"/", folder.string()}).in("--base"));
  }
  return {};
}

Result<void> write_labels(const fs::path& root) {
  const fs::path folder = root / ".singularity.d";
  std::error_code problem;
  if (fs::is_symlink(folder, problem)) return {};
  TACHO_CHECK(make_folders(folder));
  const Json labels{{"tacho.version", kVersion}, {"tacho.commit", kCommit}};
  return write_file_atomically(folder / "labels.json", json_text(labels, 1) + "\n");
}

}  // namespace

Command unpack_command(const fs::path& archive, const fs::path& root, bool as_root) {
  return {.argv = {"tar", "--extract", "--file=" + archive.string(), "--directory=" + root.string(),
                   "--preserve-permissions", "--numeric-owner",
                   as_root ? "--same-owner" : "--no-same-owner", "--anchored", "--exclude=./dev/*",
                   "--exclude=dev/*"}};
}

Command fetch_command(EnvironmentKind kind, const std::string& name, const fs::path& root) {
  if (kind == EnvironmentKind::charliecloud) return {.argv = {"ch-convert", name, root.string()}};
  return {.argv = {std::string(kEnvironmentKinds.of(kind)), "build", "--force", "--sandbox",
                   root.string(), name}};
}

Result<void> FolderImage::check() const {
  if (kind_ == EnvironmentKind::charliecloud || find_program("mksquashfs").ok()) return {};
  return Error{
      ErrorCode::unavailable,
      fmt::format("{}: mksquashfs is missing and is needed to pack images; apt-get install "
                  "squashfs-tools",
                  kEnvironmentKinds.of(kind_))};
}

Result<void> FolderImage::fill(const fs::path& root, const ImageParts& parts) {
  const bool as_root = ::geteuid() == 0;
  const fs::path log = scratch_ / "log";
  if (parts.base.kind == ImageBase::Kind::named) {
    const Command fetch = fetch_command(kind_, parts.base.word, root);
    if (!find_program(fetch.argv.front()).ok()) {
      return Error{ErrorCode::unavailable,
                   fmt::format("{0} is needed to read image {1}; apt-get install "
                               "charliecloud-builders, or give --base a tar file",
                               fetch.argv.front(), parts.base.word)};
    }
    TACHO_CHECK(run_step("fetching the base", fetch, log, watch_));
  } else {
    TACHO_CHECK(make_folders(root));
    TACHO_CHECK(run_step("unpacking the base", unpack_command(parts.base_archive, root, as_root),
                         log, watch_));
  }
  TACHO_CHECK(make_mounted_over(root).in("--base"));
  TACHO_CHECK(make_layer_folders(root, parts.layer_folders));
  return run_step("adding tacho-worker and its libraries",
                  unpack_command(parts.layer, root, as_root), log, watch_);
}

Result<std::string> FolderImage::make(const ImageParts& parts) {
  const fs::path root = scratch_ / "root";
  TACHO_CHECK(fill(root, parts));
  made_ = root;
  if (kind_ != EnvironmentKind::charliecloud) {
    TACHO_CHECK(write_labels(root));
    made_ = scratch_ / "image.sif";
    // lz4, because the default gzip takes many times as long to write and read.
    const Command pack{.argv = {std::string(kEnvironmentKinds.of(kind_)), "build", "--force",
                                "--mksquashfs-args=-comp lz4", made_.string(), root.string()},
                       .environment = {{"SOURCE_DATE_EPOCH", std::to_string(kImageTime)}}};
    TACHO_CHECK(run_step("packing the image file", pack, scratch_ / "log", watch_));
  }
  return made_.string();
}

Result<void> FolderImage::keep(const std::string& name) {
  const fs::path place = own_image_place(home_, kind_, name);
  TACHO_CHECK(make_folders(place.parent_path()));
  std::error_code problem;
  if (fs::exists(place, problem)) {
    fs::rename(place, scratch_ / "old", problem);  // removed with the scratch folder
    if (problem) return system_error(place, problem.value());
  }
  fs::rename(made_, place, problem);
  if (problem) return system_error(place, problem.value());
  return {};
}

Bytes FolderImage::size(const std::string& name) const {
  Bytes size;
  std::error_code problem;
  const fs::path place = own_image_place(home_, kind_, name);
  if (fs::is_regular_file(place, problem)) {
    return {static_cast<std::int64_t>(fs::file_size(place, problem))};
  }
  for (const auto& entry : fs::recursive_directory_iterator(place, problem)) {
    if (!entry.is_symlink(problem) && entry.is_regular_file(problem)) {
      size.count += static_cast<std::int64_t>(entry.file_size(problem));
    }
  }
  return size;
}

}  // namespace tacho
