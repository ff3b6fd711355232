#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"
#include "record/environment_facts.h"
#include "record/environment_spec.h"

namespace tacho {

// One program's time in an environment: which run it belongs to, and what it must see there beside
// its working folder. Folders left empty are not bound.
struct Stay {
  std::string key;  // the run's
  std::filesystem::path run_folder = {};
  std::filesystem::path home = {};                // becomes TACHO_HOME inside
  std::vector<std::filesystem::path> reads = {};  // files and folders; read only where that can be
};

// How a program ended, as it would have ended bare.
struct Ending {
  ExitStatus status;
  bool out_of_memory = false;  // of the limit it was given
};

// Where a command lives. A program is started by starting what wrap() returns; that process
// ends when the program ends, and passes SIGINT and SIGTERM on to it. Whatever happened, clean_up()
// comes last.
//
// A killed tacho's program is sent SIGTERM where Command::dies_with_parent asks for it, except by
// charliecloud and apptainer, whose programs forget their parent when they enter their namespaces.
// Those, and what does not heed SIGTERM, sweep_environments() finds.
class RunEnvironment {
 public:
  virtual ~RunEnvironment() = default;

  // Of the engine. An error, where it is missing or does not answer, says how to get it.
  [[nodiscard]] virtual Result<std::string> version() const = 0;
  // Those it knows by name.
  [[nodiscard]] virtual std::vector<std::string> images() const = 0;

  // Whether a program could be started: engine, daemon, image, rights, what the spec asks for. One
  // sentence with the fix.
  [[nodiscard]] virtual Result<void> check() const = 0;
  [[nodiscard]] virtual Result<EnvironmentFacts> describe() const = 0;

  // The command that runs `command` inside. Of this process's variables a program in a container
  // sees none but those of the command and the spec.
  [[nodiscard]] virtual Result<Command> wrap(const Command& command, const Stay& stay) const = 0;

  // The processes of a stay, where they are not the wrapped command's children: below the daemon's
  // shim or the engine's monitor. Their own children are not listed.
  [[nodiscard]] virtual std::vector<pid_t> members(const std::string& key) const = 0;

  // Of the wrapped command's end, before clean_up().
  [[nodiscard]] virtual Ending ending(const std::string& key, ExitStatus client) const = 0;

  // Ends and removes what is left of a stay; nothing left is no error. To be called also for one
  // whose tacho was killed.
  [[nodiscard]] virtual Result<void> clean_up(const std::string& key) const = 0;

  // The keys of all stays of which something is left on this machine.
  [[nodiscard]] virtual std::vector<std::string> leftovers() const = 0;
};

Result<std::unique_ptr<RunEnvironment>> open_environment(const EnvironmentSpec& spec);

struct EngineFound {
  EnvironmentKind kind;
  std::string version;
  std::string problem;  // why it cannot be used, and the fix; "" if it can
  std::vector<std::string> images = {};
};
// Every kind of environment, whether it is there or not.
std::vector<EngineFound> survey_engines();

// Removes what killed runs have left in any environment that is installed. `is_orphan` says of a
// run's key whether it belongs here and nobody works on it any more. Returns the keys removed.
std::vector<std::string> sweep_environments(
    const std::function<bool(const std::string& key)>& is_orphan);

}  // namespace tacho
