#include "machine/env/podman.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "base/split.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code problem;
  return fs::exists(path, problem);
}

// "-1" means no limit.
std::string limit_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? "-1" : std::to_string(limit);
}

rlim_t most_processes() {
  const auto text = read_file("/proc/sys/kernel/pid_max", Bytes{64});
  rlim_t most = 32768;
  if (text.ok()) std::from_chars(text->data(), text->data() + text->size(), most);
  return most;
}

// Returns options for the limits of this process. Podman would raise them by default, which is not
// permitted on every machine, even for root.
std::vector<std::string> current_limits() {
  rlimit files{};
  rlimit processes{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return {};
  if (::getrlimit(RLIMIT_NPROC, &processes) != 0) return {};
  // Podman lowers its limit to the maximum number of processes, and cannot pass on a higher one.
  const rlim_t most = most_processes();
  return {
      fmt::format("--ulimit=nofile={}:{}", limit_text(files.rlim_cur), limit_text(files.rlim_max)),
      fmt::format("--ulimit=nproc={}:{}", limit_text(std::min(processes.rlim_cur, most)),
                  limit_text(std::min(processes.rlim_max, most)))};
}

}  // namespace

std::vector<std::string> Podman::program() const {
  std::vector<std::string> words{"podman"};
  // crun refuses cgroup v1, alone or together with v2.
  const bool unified = is_there("/sys/fs/cgroup/cgroup.controllers");
  if (!unified && find_program("runc").ok()) words.emplace_back("--runtime=runc");
  if (!is_there("/run/systemd/system")) words.emplace_back("--cgroup-manager=cgroupfs");
  return words;
}

std::string Podman::how_to_install() const { return "apt-get install podman runc catatonit"; }

Result<void> Podman::check_engine() const {
  constexpr std::array kInits = {"/usr/libexec/podman/catatonit", "/usr/lib/podman/catatonit",
                                 "/usr/local/libexec/podman/catatonit"};
  const bool has_init =
      find_program("catatonit").ok() || std::any_of(kInits.begin(), kInits.end(), is_there);
  if (!has_init) {
    return Error{ErrorCode::unavailable,
                 "podman: catatonit, which forwards signals to programs, is missing; apt-get "
                 "install catatonit"};
  }
  const bool has_cdi = is_there("/etc/cdi") || is_there("/var/run/cdi");
  if (!spec().gpus.empty() && !has_cdi) {
    return Error{ErrorCode::unavailable,
                 "podman: the description of this machine's GPUs is missing; create it with "
                 "'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml'"};
  }
  return {};
}

std::vector<std::string> Podman::run_options() const {
  std::vector<std::string> words = current_limits();
  words.push_back(::geteuid() == 0 ? fmt::format("--user=0:{}", ::getegid()) : "--userns=keep-id");
  for (const std::string_view gpu : split(spec().gpus, ',')) {
    if (!gpu.empty()) words.push_back(fmt::format("--device=nvidia.com/gpu={}", gpu));
  }
  return words;
}

}  // namespace tacho
