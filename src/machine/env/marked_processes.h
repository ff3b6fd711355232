#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tacho {

struct MarkedProcess {
  pid_t pid;
  std::string key;
};

// Returns the processes that were started with kMarkVariable and that this user may inspect. This
// is how the processes of a container are found if no engine tracks them. Misses processes that
// were started with a cleared environment.
std::vector<MarkedProcess> marked_processes(const std::filesystem::path& proc = "/proc");

// Returns the processes of one container.
std::vector<pid_t> processes_of(const std::string& key);

// Returns the first processes of a container: those whose parents do not belong to it.
std::vector<pid_t> first_processes_of(const std::string& key);

// Kills the processes of a container, including those started in the meantime. Returns true if none
// is left. Spares this process and its ancestors, which are marked if tacho runs in a container.
bool kill_processes_of(const std::string& key);

}  // namespace tacho
