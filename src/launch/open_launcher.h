#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/names.h"
#include "launch/launcher.h"

namespace tacho {

enum class LauncherKind { local, slurm, kubernetes };
inline constexpr Names<LauncherKind, 3> kLauncherKinds{
    "launcher",
    {{{LauncherKind::local, "local"},
      {LauncherKind::slurm, "slurm"},
      {LauncherKind::kubernetes, "kubernetes"}}}};

struct LauncherSettings {
  // Where batches are kept, those of a scheduler: on a file system that its nodes share.
  std::filesystem::path folder;
  // As docs/launchers.md lists them: "partition" for slurm, "image" for kubernetes, "gpus" for
  // local.
  std::map<std::string, std::string> options = {};
  std::optional<int> at_once = {};  // the most tasks that run at a time
};

// An error names the option that is unknown or makes no sense.
Result<std::unique_ptr<Launcher>> open_launcher(LauncherKind kind,
                                                const LauncherSettings& settings);

}  // namespace tacho
