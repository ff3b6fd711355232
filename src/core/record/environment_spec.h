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

// Returns true if programs are children of a daemon or monitor instead of this process, each in its
// own PID namespace.
constexpr bool has_daemon(EnvironmentKind kind) {
  return kind == EnvironmentKind::docker || kind == EnvironmentKind::podman;
}

// host: the network of the machine, as for a bare program. none: no network.
enum class NetworkAccess { host, none };
inline constexpr Names<NetworkAccess, 2> kNetworkAccesses{
    "network", {{{NetworkAccess::host, "host"}, {NetworkAccess::none, "none"}}}};

// A file or folder of the machine that is mounted inside the environment.
struct Bind {
  std::string source;
  std::string target;
  bool read_only = false;
  bool operator==(const Bind&) const = default;
};

// The default image name of `tacho env build` and of environments given without an image.
inline constexpr std::string_view kTachoImage = "localhost/tacho:latest";

// The environment of a program, with its limits.
struct EnvironmentSpec {
  EnvironmentKind kind = EnvironmentKind::bare;
  // A name known to the engine; for apptainer and charliecloud also a file or folder.
  std::string image;
  std::optional<double> cpus;  // CPU quota in processors: 1.5
  std::string cpuset;          // the processors it may run on: "0-3,6"; "": all
  std::optional<std::int64_t> memory_bytes;
  std::string gpus;  // "", "all" or "0,2"
  std::vector<Bind> binds;
  // Without it a container uses /dev/shm of the machine, like a bare program.
  std::optional<std::int64_t> shared_memory_bytes;
  NetworkAccess network = NetworkAccess::host;
  std::map<std::string, std::string> variables;
  bool operator==(const EnvironmentSpec&) const = default;
};

// Returns an error if the spec makes no sense in any environment. Each environment checks by itself
// what it cannot do.
Result<void> check(const EnvironmentSpec& spec);

// Parses the command-line form: "bare", "podman:localhost/tacho:latest",
// "apptainer:images/tacho.sif"; "podman" alone means podman with kTachoImage. The path of an image
// that is a file or folder becomes absolute.
Result<EnvironmentSpec> parse_environment(std::string_view words);
// Parses "SOURCE", "SOURCE:TARGET", "SOURCE:TARGET:ro" and "SOURCE:ro".
Result<Bind> parse_bind(std::string_view text);
std::string environment_name(const EnvironmentSpec& spec);  // the inverse, without the limits

Json to_json(const EnvironmentSpec& spec);
Result<EnvironmentSpec> environment_spec_from_json(const Json& json);

}  // namespace tacho
