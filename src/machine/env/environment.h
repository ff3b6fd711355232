#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"
#include "core/record/environment_facts.h"
#include "core/record/environment_spec.h"

namespace tacho {

// One program in an environment: the run it belongs to, and the folders it needs in addition to its
// working folder. Empty folders are not bound.
struct ContainerSpec {
  std::string key;  // of the run
  std::filesystem::path run_folder = {};
  std::filesystem::path home = {};                // becomes TACHO_HOME inside
  std::vector<std::filesystem::path> reads = {};  // files and folders; read-only if possible
};

// The end of a program, as it would have ended bare.
struct Ending {
  ExitStatus status;
  bool out_of_memory = false;  // reached its memory limit
};

// The environment of a command. To start a program, start the command that wrap() returns; that
// process ends when the program ends, and forwards SIGINT and SIGTERM to it. Podman's does so only
// once it has noticed that the container runs: signal members() if there are any. Always call
// clean_up() at the end.
//
// If tacho is killed, the program gets SIGTERM if Command::dies_with_parent is set, except in
// charliecloud and apptainer, where entering the namespaces resets that. sweep_environments() finds
// those programs and the ones that ignore SIGTERM.
class RunEnvironment {
 public:
  virtual ~RunEnvironment() = default;

  // Returns the version of the engine. If it is missing or does not answer, the error contains the
  // fix.
  [[nodiscard]] virtual Result<std::string> version() const = 0;
  // Returns the images known by name.
  [[nodiscard]] virtual std::vector<std::string> images() const = 0;

  // Checks whether a program could be started: engine, daemon, image, permissions and spec. The
  // error is one sentence with the fix.
  [[nodiscard]] virtual Result<void> check() const = 0;
  [[nodiscard]] virtual Result<EnvironmentFacts> describe() const = 0;

  // Returns the command that runs `command` inside. A program in a container sees only the
  // variables of the command and the spec, not those of this process.
  [[nodiscard]] virtual Result<Command> wrap(const Command& command,
                                             const ContainerSpec& container) const = 0;

  // Returns the processes of a container that are not children of the wrapped command but of the
  // daemon's shim or the engine's monitor. Does not list their children.
  [[nodiscard]] virtual std::vector<pid_t> members(const std::string& key) const = 0;

  // Translates the exit status of the wrapped command; call it before clean_up().
  [[nodiscard]] virtual Ending ending(const std::string& key, ExitStatus client) const = 0;

  // Kills and removes what is left of a container, also of one whose tacho process was killed. It
  // is not an error if nothing is left.
  [[nodiscard]] virtual Result<void> clean_up(const std::string& key) const = 0;

  // Returns the keys of all containers of which something is left on this machine.
  [[nodiscard]] virtual std::vector<std::string> leftovers() const = 0;
};

Result<std::unique_ptr<RunEnvironment>> open_environment(const EnvironmentSpec& spec);

struct EngineFound {
  EnvironmentKind kind;
  std::string version;
  std::string problem;  // why it cannot be used, with the fix; "" if it can
  std::vector<std::string> images = {};
};
// Returns all kinds of environments, installed or not.
std::vector<EngineFound> survey_engines();

// Removes leftovers of killed runs in all installed environments. `is_orphan` returns true for the
// key of a run that belongs to this home and that no process works on. Returns the removed keys.
std::vector<std::string> sweep_environments(
    const std::function<bool(const std::string& key)>& is_orphan);

}  // namespace tacho
