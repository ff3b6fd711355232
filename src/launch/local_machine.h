#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "launch/launcher.h"

namespace tacho {

// What of this machine there is to share out.
struct LocalMachine {
  std::vector<std::vector<int>> cores;  // of each its processors: more than one with hyperthreads
  Bytes memory;
  std::vector<std::string> gpus;  // as CUDA_VISIBLE_DEVICES names them
};

// What this process may use, by affinity, cgroup, and CUDA_VISIBLE_DEVICES where it is set. `root`
// holds proc/ and sys/.
LocalMachine this_machine(const std::filesystem::path& root = "/");

// Less than there is, by the options "cores", "memory" and "gpus": the first so many. An error
// names the option that is unknown or asks for more.
Result<LocalMachine> limited(LocalMachine machine,
                             const std::map<std::string, std::string>& options);

// Groups of processors that share a core, of those in `cpus`.
std::vector<std::vector<int>> cores_of(const std::vector<int>& cpus,
                                       const std::filesystem::path& root);

// "0-2,8": 0 1 2 8. What is no such list gives none.
std::vector<int> parse_cpu_list(std::string_view list);

}  // namespace tacho
