#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/environment_spec.h"

namespace tacho {

// A group of processes with limits, made by Tacho itself for environments whose engine has none:
// bare, charliecloud, apptainer. It lies below this process's own group (cgroup v1) or beside it
// (v2), so that whatever limits this process limits it too.
class OwnCgroup {
 public:
  // `root` holds sys/fs/cgroup and proc/self/cgroup.
  OwnCgroup(std::string key, std::filesystem::path root = "/")
      : name_("tacho-" + std::move(key)), root_(std::move(root)) {}

  // Makes it with the spec's limits on processor time and memory. Returns the files a process
  // writes itself to (Command::cgroups). An error says which right is missing.
  [[nodiscard]] Result<std::vector<std::filesystem::path>> make(const EnvironmentSpec& spec) const;

  // Whether the system has killed a process in it for want of memory.
  [[nodiscard]] bool ran_out_of_memory() const;

  // Kills what is in it and takes it away, wherever below the root it was made. Nothing there is
  // no error.
  [[nodiscard]] Result<void> remove() const;

  // The keys of all there are.
  static std::vector<std::string> keys(const std::filesystem::path& root = "/");

 private:
  [[nodiscard]] std::filesystem::path mounts() const { return root_ / "sys/fs/cgroup"; }
  [[nodiscard]] bool unified() const;
  // Where a controller's part of it is to lie, whether or not it is there.
  [[nodiscard]] std::filesystem::path place(const std::string& controller) const;

  std::string name_;
  std::filesystem::path root_;
};

// Whether a spec needs one in an environment whose engine has no limits of its own.
bool has_limits(const EnvironmentSpec& spec);

}  // namespace tacho
