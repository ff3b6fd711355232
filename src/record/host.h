#pragma once

#include <cstdint>
#include <string>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// The machine a run saw, as seen from inside its environment. src/probe fills it in.
struct Host {
  std::string name;
  std::string system;        // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;        // "6.1.0-18-amd64"
  std::string architecture;  // "x86_64", "aarch64"
  std::string cpu;
  double cpu_mhz = 0;             // the highest the system names; 0 where it names none
  std::int64_t cores = 0;         // that this process may use: affinity and cgroup quota
  std::int64_t memory_bytes = 0;  // that this process may use: installed, or the cgroup's limit
  std::string gpu;                // "" where there is none
  std::string gpu_driver;
  std::string environment = "bare";
  std::string image_digest;  // of the container image, "" when bare
  bool operator==(const Host&) const = default;
};

Json to_json(const Host& host);
Result<Host> host_from_json(const Json& json);

}  // namespace tacho
