#pragma once

#include <cstdint>
#include <string>

namespace tacho {

// The machine of a run, as seen from inside its environment. Filled in by src/machine/probe.
struct Host {
  std::string name;
  std::string system;        // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;        // "6.1.0-18-amd64"
  std::string architecture;  // "x86_64", "aarch64"
  std::string cpu;
  double cpu_mhz = 0;             // the highest that the system reports; 0: unknown
  std::int64_t cores = 0;         // available to this process: affinity and cgroup quota
  std::int64_t memory_bytes = 0;  // available to this process: installed, or the cgroup limit
  std::string gpu;                // "" without one
  std::string gpu_driver;
  std::string environment = "bare";
  std::string image_digest;  // of the container image, "" when bare
  bool operator==(const Host&) const = default;
};

}  // namespace tacho
