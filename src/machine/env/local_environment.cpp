#include "machine/env/local_environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/env/container_spec.h"
#include "machine/env/marked_processes.h"
#include "machine/env/own_cgroup.h"

namespace tacho {

Ending LocalEnvironment::ending(const std::string& key, ExitStatus client) const {
  const bool limited = spec_.memory_bytes.has_value() && !client.success();
  return {client, limited && OwnCgroup(key).ran_out_of_memory()};
}

Result<void> LocalEnvironment::check_limits() const {
  if (spec_.shared_memory_bytes) {
    return Error{ErrorCode::usage,
                 fmt::format("{} uses the machine's /dev/shm, whose size --env-shm cannot change; "
                             "leave it out, or use podman or docker",
                             name())};
  }
  if (!spec_.cpuset.empty() && !find_program("taskset").ok()) {
    return Error{ErrorCode::unavailable,
                 "--env-cpuset needs taskset, which is missing; apt-get install util-linux"};
  }
  return {};
}

Result<Command> LocalEnvironment::limited(Command command, const std::string& key) const {
  if (!spec_.cpuset.empty()) {
    const std::vector<std::string> words{"taskset", "--cpu-list", spec_.cpuset};
    command.argv.insert(command.argv.begin(), words.begin(), words.end());
  }
  if (has_limits(spec_)) {
    TACHO_TRY(groups, OwnCgroup(key).make(spec_).in(name()));
    command.cgroups = std::move(groups);
  }
  return command;
}

std::map<std::string, std::string> LocalEnvironment::variables(
    const Command& command, const ContainerSpec& container) const {
  auto all = all_variables(spec_, command, container);
  if (!spec_.gpus.empty() && spec_.gpus != "all") all["CUDA_VISIBLE_DEVICES"] = spec_.gpus;
  return all;
}

Result<void> LocalEnvironment::clean_up(const std::string& key) const {
  TACHO_CHECK(check_key(key));
  const bool killed = kill_processes_of(key);
  TACHO_CHECK(OwnCgroup(key).remove());
  if (killed) return {};
  return Error{ErrorCode::failed,
               fmt::format("{}: a process of run {} cannot be killed; look for {}={} in "
                           "/proc/*/environ",
                           name(), key, kMarkVariable, key)};
}

std::vector<std::string> LocalEnvironment::leftovers() const {
  std::vector<std::string> keys = OwnCgroup::keys();
  for (const MarkedProcess& process : marked_processes()) keys.push_back(process.key);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace tacho
