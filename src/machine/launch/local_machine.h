#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "machine/launch/launcher.h"

namespace tacho {

// The resources of this machine for tasks.
struct LocalMachine {
  std::vector<std::vector<int>> cores;  // processors of each core: several with hyperthreads
  Bytes memory;
  std::vector<std::string> gpus;  // names as in CUDA_VISIBLE_DEVICES
};

// Returns the resources that this process may use, by affinity, cgroup and CUDA_VISIBLE_DEVICES, if
// set. `root` contains proc/ and sys/.
LocalMachine this_machine(const std::filesystem::path& root = "/");

// Reduces the machine to the first cores and GPUs and to the memory given by the options "cores",
// "memory" and "gpus". The error names an option that is unknown or exceeds the machine.
Result<LocalMachine> limited(LocalMachine machine,
                             const std::map<std::string, std::string>& options);

// Groups the processors in `cpus` by core.
std::vector<std::vector<int>> cores_of(const std::vector<int>& cpus,
                                       const std::filesystem::path& root);

// Parses "0-2,8" into 0 1 2 8; returns nothing for an invalid list.
std::vector<int> parse_cpu_list(std::string_view list);

}  // namespace tacho
