#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/json_object.h"
#include "launch/kubernetes_options.h"
#include "launch/launcher.h"

namespace tacho {

struct ManifestOrder {
  const KubernetesOptions& options;
  std::string name;
  std::filesystem::path folder;  // the batch's
  std::size_t tasks = 0;
  Resources needs = {};
  std::optional<int> at_once = {};
};

// An Indexed Job whose pods each take a task: not root, nothing to write but the volume, /tmp and
// /dev/shm, no more than it needs.
Json job_manifest(const ManifestOrder& order);

}  // namespace tacho
