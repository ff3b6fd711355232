#include "machine/env/own_cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <csignal>
#include <sstream>
#include <thread>

#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPeriod = 100000;  // microseconds, the default of the system
constexpr int kRmdirTries = 100;
constexpr std::chrono::milliseconds kBetweenRmdirs{20};
constexpr std::string_view kPrefix = "tacho-";

// Returns the group of this process from /proc/self/cgroup: "4:memory:/jobs/7", "0::/user.slice".
std::string own_path(const fs::path& root, const std::string& controller) {
  const auto text = read_file(root / "proc/self/cgroup", Bytes{1 << 20});
  if (!text.ok()) return "/";
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string wanted = controller.empty() ? ",," : "," + controller + ",";
    if (controllers.find(wanted) != std::string::npos) return line.substr(second + 1);
  }
  return "/";
}

Result<void> put(const fs::path& file, const std::string& text) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return system_error(file, errno);
  return write_all(fd.get(), text, file);
}

std::vector<pid_t> processes_in(const fs::path& group) {
  std::vector<pid_t> pids;
  const auto text = read_file(group / "cgroup.procs", Bytes{16 << 20});
  if (!text.ok()) return pids;
  std::istringstream lines(*text);
  for (pid_t pid = 0; lines >> pid;) pids.push_back(pid);
  return pids;
}

// Returns all groups named `tacho-…` below the mounts.
std::vector<fs::path> groups_below(const fs::path& mounts) {
  std::vector<fs::path> found;
  std::error_code problem;
  const auto options = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator at(mounts, options, problem);
  for (; !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
    std::error_code gone;
    if (!at->is_directory(gone) || at->is_symlink(gone)) continue;
    if (at->path().filename().string().starts_with(kPrefix)) found.push_back(at->path());
  }
  return found;
}

Result<void> remove_group(const fs::path& group) {
  for (int i = 0; i < kRmdirTries; ++i) {
    for (const pid_t pid : processes_in(group)) ::kill(pid, SIGKILL);
    if (::rmdir(group.c_str()) == 0 || errno == ENOENT) return {};
    if (errno != EBUSY) return system_error(group, errno);
    std::this_thread::sleep_for(kBetweenRmdirs);
  }
  return Error{ErrorCode::failed, fmt::format("{}: processes in it cannot be killed; look at {}",
                                              group.string(), (group / "cgroup.procs").string())};
}

Error no_limits(const Error& why) {
  return {why.code, fmt::format("cannot limit processors or memory without permission to create "
                                "cgroups ({}); run as root, or use podman or docker",
                                why.message)};
}

}  // namespace

bool has_limits(const EnvironmentSpec& spec) {
  return spec.cpus.has_value() || spec.memory_bytes.has_value();
}

bool OwnCgroup::unified() const {
  std::error_code problem;
  return fs::exists(mounts() / "cgroup.controllers", problem);
}

fs::path OwnCgroup::place(const std::string& controller) const {
  if (!unified()) {
    const fs::path own = fs::path(own_path(root_, controller)).relative_path();
    return mounts() / controller / own / name_;
  }
  // A sibling: a v2 group with processes cannot give controllers to its children.
  const fs::path own = fs::path(own_path(root_, "")).relative_path();
  return mounts() / own.parent_path() / name_;
}

Result<std::vector<fs::path>> OwnCgroup::make(const EnvironmentSpec& spec) const {
  struct Limit {
    std::string controller;
    std::string file;
    std::string value;
  };
  std::vector<Limit> limits;
  if (spec.memory_bytes) {
    limits.push_back({"memory", unified() ? "memory.max" : "memory.limit_in_bytes",
                      std::to_string(*spec.memory_bytes)});
  }
  if (spec.cpus) {
    const auto quota = static_cast<std::int64_t>(std::llround(*spec.cpus * kPeriod));
    limits.push_back({"cpu", unified() ? "cpu.max" : "cpu.cfs_quota_us",
                      unified() ? fmt::format("{} {}", quota, kPeriod) : std::to_string(quota)});
  }
  std::vector<fs::path> files;
  for (const Limit& limit : limits) {
    const fs::path group = place(limit.controller);
    if (::mkdir(group.c_str(), 0755) != 0 && errno != EEXIST) {
      const Error why = system_error(group, errno);
      (void)remove().ok();
      return no_limits(why);
    }
    if (const auto set = put(group / limit.file, limit.value); !set.ok()) {
      (void)remove().ok();
      return no_limits(set.error());
    }
    const fs::path procs = group / "cgroup.procs";
    if (files.empty() || files.back() != procs) files.push_back(procs);
  }
  return files;
}

bool OwnCgroup::ran_out_of_memory() const {
  // v1 counts in oom_control, v2 in events, both as "oom_kill N".
  const char* file = unified() ? "memory.events" : "memory.oom_control";
  const auto text = read_file(place("memory") / file, Bytes{1 << 16});
  if (!text.ok()) return false;
  std::istringstream words(*text);
  std::string name;
  for (std::int64_t count = 0; words >> name >> count;) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

Result<void> OwnCgroup::remove() const {
  for (const fs::path& group : groups_below(mounts())) {
    if (group.filename() == name_) TACHO_CHECK(remove_group(group));
  }
  return {};
}

std::vector<std::string> OwnCgroup::keys(const fs::path& root) {
  std::vector<std::string> found;
  for (const fs::path& group : groups_below(root / "sys/fs/cgroup")) {
    found.push_back(group.filename().string().substr(kPrefix.size()));
  }
  return found;
}

}  // namespace tacho
