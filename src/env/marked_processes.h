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

// The processes that were started with kStayVariable, as far as this user may look. Where no engine
// keeps count of them, this is how a stay's processes are found again. A process that was started
// with an environment of its own making is missed.
std::vector<MarkedProcess> marked_processes(const std::filesystem::path& proc = "/proc");

// Those of one stay.
std::vector<pid_t> processes_of(const std::string& key);

// Of those, the ones whose parents are not: the stay's first processes.
std::vector<pid_t> first_processes_of(const std::string& key);

// Kills them, and those they start meanwhile; whether none was left in the end. Never this process
// itself nor its parents, which may be marked where tacho runs inside a stay.
bool kill_processes_of(const std::string& key);

}  // namespace tacho
