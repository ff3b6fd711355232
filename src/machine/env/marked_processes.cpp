#include "machine/env/marked_processes.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <iterator>
#include <string_view>
#include <thread>

#include "base/file.h"
#include "base/parse_number.h"
#include "machine/env/container_spec.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr int kKillTries = 100;
constexpr std::chrono::milliseconds kBetweenKills{20};

// Returns the value of kMarkVariable in a list of NUL-terminated entries; "" if it is missing.
std::string key_in(std::string_view entries) {
  const std::string mark = std::string(kMarkVariable) + "=";
  while (!entries.empty()) {
    const auto end = std::min(entries.find('\0'), entries.size());
    const std::string_view entry = entries.substr(0, end);
    if (entry.starts_with(mark)) return std::string(entry.substr(mark.size()));
    entries.remove_prefix(std::min(end + 1, entries.size()));
  }
  return "";
}

// A zombie cannot be killed: its parent has not waited for it yet. The state follows the name,
// which is in parentheses and may contain some.
bool is_zombie(const fs::path& process) {
  const auto stat = read_file(process / "stat", Bytes{1 << 16});
  if (!stat.ok()) return true;
  const auto bracket = stat->rfind(')');
  return bracket == std::string::npos || bracket + 2 >= stat->size() ||
         (*stat)[bracket + 2] == 'Z' || (*stat)[bracket + 2] == 'X';
}

pid_t parent_of(pid_t pid) {
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat", Bytes{1 << 16});
  if (!stat.ok()) return 0;
  const auto bracket = stat->rfind(')');
  if (bracket == std::string::npos || bracket + 4 >= stat->size()) return 0;
  pid_t parent = 0;
  std::from_chars(stat->data() + bracket + 4, stat->data() + stat->size(), parent);
  return parent;
}

std::vector<pid_t> own_ancestors() {
  std::vector<pid_t> pids;
  for (pid_t pid = ::getpid(); pid > 0; pid = parent_of(pid)) pids.push_back(pid);
  return pids;
}

}  // namespace

std::vector<MarkedProcess> marked_processes(const fs::path& proc) {
  std::vector<MarkedProcess> found;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(proc, problem)) {
    const std::string name = entry.path().filename().string();
    const auto pid = parse_number<pid_t>(name);
    if (!pid) continue;
    const auto variables = read_file(entry.path() / "environ", Bytes{8 << 20});
    if (!variables.ok()) continue;  // of another user, or gone
    std::string key = key_in(*variables);
    if (!key.empty() && !is_zombie(entry.path())) found.push_back({*pid, std::move(key)});
  }
  return found;
}

std::vector<pid_t> processes_of(const std::string& key) {
  std::vector<pid_t> pids;
  for (const MarkedProcess& process : marked_processes()) {
    if (process.key == key) pids.push_back(process.pid);
  }
  return pids;
}

std::vector<pid_t> first_processes_of(const std::string& key) {
  const auto all = processes_of(key);
  std::vector<pid_t> first;
  std::copy_if(all.begin(), all.end(), std::back_inserter(first), [&](pid_t pid) {
    return std::find(all.begin(), all.end(), parent_of(pid)) == all.end();
  });
  return first;
}

bool kill_processes_of(const std::string& key) {
  const std::vector<pid_t> spared = own_ancestors();
  for (int i = 0; i < kKillTries; ++i) {
    auto left = processes_of(key);
    std::erase_if(left, [&](pid_t pid) {
      return std::find(spared.begin(), spared.end(), pid) != spared.end();
    });
    if (left.empty()) return true;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(kBetweenKills);
  }
  return false;
}

}  // namespace tacho
