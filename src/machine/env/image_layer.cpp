#include "machine/env/image_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/json_object.h"
#include "base/version.h"
#include "machine/env/image_base.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

const fs::path kProgramsInside = "/usr/local/bin";
const fs::path kLibrariesInside = "/usr/local/lib/tacho";
const fs::path kNoteInside = "/usr/local/share/tacho/image.json";

Result<void> place_link(const fs::path& root, const LayerFile& file) {
  const fs::path place = root / file.inside.relative_path();
  TACHO_CHECK(make_folders(place.parent_path()));
  std::error_code problem;
  fs::create_symlink(file.file, place, problem);
  if (problem) return system_error(place, problem.value());
  return {};
}

}  // namespace

Result<std::vector<fs::path>> programs_in(const fs::path& folder) {
  std::vector<fs::path> programs;
  for (const char* name :
       {"tacho", "tacho-take", "tacho-worker", "libtacho_inject.so", "tacho-enter"}) {
    std::error_code problem;
    if (!fs::is_regular_file(folder / name, problem)) {
      return Error{ErrorCode::unavailable,
                   fmt::format("{} is not in {}, the folder of 'tacho'; build it with script/build",
                               name, folder.string())};
    }
    programs.push_back(folder / name);
  }
  return programs;
}

Result<std::vector<LayerFile>> plan_layer(const std::vector<fs::path>& programs,
                                          const NeededLibraries& needed, bool base_has_c_library) {
  std::vector<LayerFile> files;
  for (const fs::path& program : programs) {
    files.push_back({kProgramsInside / program.filename(), program});
  }
  if (!base_has_c_library) files.push_back({needed.loader, needed.loader});
  for (const auto& [name, file] : needed.libraries) {
    if (name.starts_with("libtorch_cuda")) {
      return Error{ErrorCode::unavailable,
                   "this tacho-worker is built for CUDA, whose libraries load others at run time; "
                   "build its image with 'podman build --target cuda -f deploy/docker/Dockerfile "
                   ".'"};
    }
    if (base_has_c_library && is_of_c_library(name)) continue;
    files.push_back({kLibrariesInside / name, file});
  }
  return files;
}

std::vector<fs::path> folders_of(const std::vector<LayerFile>& files) {
  std::vector<fs::path> folders{kNoteInside.parent_path()};
  for (const LayerFile& file : files) folders.push_back(file.inside.parent_path());
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

std::string layer_note(const std::vector<LayerFile>& files) {
  Json list = Json::object();
  for (const LayerFile& file : files) {
    std::error_code problem;
    const fs::path real = fs::canonical(file.file, problem);
    list[file.inside.string()] = (problem ? file.file : real).filename().string();
  }
  return json_text({{"tacho", kVersion}, {"commit", kCommit}, {"files", list}}, 1) + "\n";
}

Result<void> pack_layer(const std::vector<LayerFile>& files, const fs::path& archive,
                        const fs::path& scratch, const BuildWatch& watch) {
  const fs::path root = scratch / "layer";
  const fs::path note = scratch / "image.json";
  TACHO_CHECK(write_file_atomically(note, layer_note(files)));
  std::vector<LayerFile> all = files;
  all.push_back({kNoteInside, note});
  std::string names;
  for (const LayerFile& file : all) {
    TACHO_CHECK(place_link(root, file));
    names += file.inside.relative_path().string() + "\n";
  }
  const fs::path list = scratch / "layer-files";
  TACHO_CHECK(write_file_atomically(list, names));
  // Files only: an entry for a folder would change that of the base.
  const Command pack{.argv = {"tar", "--create", "--file=" + archive.string(),
                              "--directory=" + root.string(), "--dereference", "--hard-dereference",
                              "--sort=name", "--format=gnu", fmt::format("--mtime=@{}", kImageTime),
                              "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX",
                              "--verbatim-files-from", "--files-from=" + list.string()}};
  return run_step("packing tacho-worker and its libraries", pack, scratch / "log", watch);
}

}  // namespace tacho
