#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/json_object.h"
#include "machine/launch/kubernetes_options.h"
#include "machine/launch/launcher.h"

namespace tacho {

struct ManifestOrder {
  const KubernetesOptions& options;
  std::string name;
  std::filesystem::path folder;  // of the batch
  std::size_t tasks = 0;
  Resources needs = {};
  std::optional<int> at_once = {};
};

// Returns an Indexed Job whose pods each run one task: not as root, with write access only to the
// volume, /tmp and /dev/shm, and with limits.
Json job_manifest(const ManifestOrder& order);

}  // namespace tacho
