#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/names.h"
#include "machine/launch/launcher.h"

namespace tacho {

enum class LauncherKind { local, slurm, kubernetes };
inline constexpr Names<LauncherKind, 3> kLauncherKinds{
    "launcher",
    {{{LauncherKind::local, "local"},
      {LauncherKind::slurm, "slurm"},
      {LauncherKind::kubernetes, "kubernetes"}}}};

struct LauncherSettings {
  // Folder of batches. For a scheduler: on a file system that its nodes share.
  std::filesystem::path folder;
  // See docs/launchers.md: "partition" for slurm, "image" for kubernetes, "gpus" for local.
  std::map<std::string, std::string> options = {};
  std::optional<int> at_once = {};  // maximum number of running tasks
};

// The error names an option that is unknown or makes no sense.
Result<std::unique_ptr<Launcher>> open_launcher(LauncherKind kind,
                                                const LauncherSettings& settings);

}  // namespace tacho
