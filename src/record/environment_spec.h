#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/names.h"
#include "base/result.h"

namespace tacho {

enum class EnvironmentKind { bare, docker, podman, apptainer, singularity, charliecloud };
inline constexpr Names<EnvironmentKind, 6> kEnvironmentKinds{
    "environment",
    {{{EnvironmentKind::bare, "bare"},
      {EnvironmentKind::docker, "docker"},
      {EnvironmentKind::podman, "podman"},
      {EnvironmentKind::apptainer, "apptainer"},
      {EnvironmentKind::singularity, "singularity"},
      {EnvironmentKind::charliecloud, "charliecloud"}}}};

// Whether programs are not our children there but a daemon's or a monitor's, each in a process
// namespace of its own.
constexpr bool has_daemon(EnvironmentKind kind) {
  return kind == EnvironmentKind::docker || kind == EnvironmentKind::podman;
}

// host: the machine's own, as a bare program has it. none: no way out.
enum class NetworkAccess { host, none };
inline constexpr Names<NetworkAccess, 2> kNetworkAccesses{
    "network", {{{NetworkAccess::host, "host"}, {NetworkAccess::none, "none"}}}};

// A file or folder of the machine, seen inside under another or the same name.
struct Bind {
  std::string source;
  std::string target;
  bool read_only = false;
  bool operator==(const Bind&) const = default;
};

// What `tacho env build` calls an image, and what an environment without one means.
inline constexpr std::string_view kTachoImage = "localhost/tacho:latest";

// Where a program lives, and what it is allowed there.
struct EnvironmentSpec {
  EnvironmentKind kind = EnvironmentKind::bare;
  // A name the engine knows, or for apptainer and charliecloud also a file or folder.
  std::string image;
  std::optional<double> cpus;  // processors' worth of time: 1.5
  std::string cpuset;          // the processors it may run on: "0-3,6"; "" is all
  std::optional<std::int64_t> memory_bytes;
  std::string gpus;  // "", "all" or "0,2"
  std::vector<Bind> binds;
  // Without it a container shares the machine's /dev/shm, as a bare program does.
  std::optional<std::int64_t> shared_memory_bytes;
  NetworkAccess network = NetworkAccess::host;
  std::map<std::string, std::string> variables;
  bool operator==(const EnvironmentSpec&) const = default;
};

// Says what makes no sense in any environment. What one of them cannot do, it says itself.
Result<void> check(const EnvironmentSpec& spec);

// "bare", "podman:localhost/tacho:latest", "apptainer:images/tacho.sif", as on the command line;
// "podman" alone is podman with kTachoImage.
Result<EnvironmentSpec> parse_environment(std::string_view words);
std::string environment_name(const EnvironmentSpec& spec);  // the way back, without the limits

Json to_json(const EnvironmentSpec& spec);
Result<EnvironmentSpec> environment_spec_from_json(const Json& json);

}  // namespace tacho
