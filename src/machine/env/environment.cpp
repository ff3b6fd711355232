#include "machine/env/environment.h"

#include <algorithm>

#include "machine/env/apptainer.h"
#include "machine/env/bare.h"
#include "machine/env/charliecloud.h"
#include "machine/env/docker.h"
#include "machine/env/podman.h"

namespace tacho {
namespace {

std::unique_ptr<RunEnvironment> make_environment(const EnvironmentSpec& spec) {
  switch (spec.kind) {
    case EnvironmentKind::bare:
      return std::make_unique<Bare>(spec);
    case EnvironmentKind::docker:
      return std::make_unique<Docker>(spec);
    case EnvironmentKind::podman:
      return std::make_unique<Podman>(spec);
    case EnvironmentKind::apptainer:
    case EnvironmentKind::singularity:
      return std::make_unique<Apptainer>(spec);
    case EnvironmentKind::charliecloud:
      return std::make_unique<Charliecloud>(spec);
  }
  broken_invariant("unknown kind of environment");
}

}  // namespace

Result<std::unique_ptr<RunEnvironment>> open_environment(const EnvironmentSpec& spec) {
  TACHO_CHECK(check(spec));
  return make_environment(spec);
}

std::vector<EngineFound> survey_engines() {
  std::vector<EngineFound> found;
  for (const auto& [kind, name] : kEnvironmentKinds.table) {
    const auto environment = make_environment({.kind = kind});
    const auto version = environment->version();
    if (version.ok()) {
      found.push_back({kind, *version, "", environment->images()});
    } else {
      found.push_back({kind, "", version.error().message});
    }
  }
  return found;
}

std::vector<std::string> sweep_environments(
    const std::function<bool(const std::string& key)>& is_orphan) {
  std::vector<std::string> removed;
  // Bare finds the leftovers of all environments without a daemon.
  for (const EnvironmentKind kind :
       {EnvironmentKind::bare, EnvironmentKind::podman, EnvironmentKind::docker}) {
    const auto environment = make_environment({.kind = kind});
    for (const std::string& key : environment->leftovers()) {
      if (is_orphan(key) && environment->clean_up(key).ok()) removed.push_back(key);
    }
  }
  // The processes of a podman container are marked too, so that bare finds its key as well.
  std::sort(removed.begin(), removed.end());
  removed.erase(std::unique(removed.begin(), removed.end()), removed.end());
  return removed;
}

}  // namespace tacho
