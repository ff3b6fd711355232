#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/environment_spec.h"

namespace tacho {

// A cgroup with limits that Tacho creates for environments whose engine has none: bare,
// charliecloud, apptainer. It is a child of this process's group (cgroup v1) or a sibling (v2), so
// that the limits on this process's parents apply to it too.
class OwnCgroup {
 public:
  // `root` contains sys/fs/cgroup and proc/self/cgroup.
  OwnCgroup(std::string key, std::filesystem::path root = "/")
      : name_("tacho-" + std::move(key)), root_(std::move(root)) {}

  // Creates the group with the spec's limits on CPU time and memory. Returns the files for
  // Command::cgroups. The error names a missing permission.
  [[nodiscard]] Result<std::vector<std::filesystem::path>> make(const EnvironmentSpec& spec) const;

  // Returns true if the system has killed a process in it because of its memory limit.
  [[nodiscard]] bool ran_out_of_memory() const;

  // Kills its processes and removes it, wherever below the root it is. It is not an error if it
  // does not exist.
  [[nodiscard]] Result<void> remove() const;

  // Returns the keys of all existing groups.
  static std::vector<std::string> keys(const std::filesystem::path& root = "/");

 private:
  [[nodiscard]] std::filesystem::path mounts() const { return root_ / "sys/fs/cgroup"; }
  [[nodiscard]] bool unified() const;
  // Returns its path for a controller, whether or not it exists.
  [[nodiscard]] std::filesystem::path place(const std::string& controller) const;

  std::string name_;
  std::filesystem::path root_;
};

// Returns true if a spec needs a cgroup in an environment whose engine has no limits.
bool has_limits(const EnvironmentSpec& spec);

}  // namespace tacho
