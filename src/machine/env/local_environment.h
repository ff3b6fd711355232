#pragma once

#include <string>
#include <vector>

#include "machine/env/environment.h"

namespace tacho {

// The common part of bare, charliecloud and apptainer: no daemon, so that the program is our child;
// no limits that work without setup, so that Tacho creates a cgroup; /dev/shm of the machine. What
// a killed tacho process leaves behind is found by kMarkVariable.
class LocalEnvironment : public RunEnvironment {
 public:
  explicit LocalEnvironment(EnvironmentSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] std::vector<pid_t> members(const std::string& /*key*/) const final { return {}; }
  [[nodiscard]] Ending ending(const std::string& key, ExitStatus client) const override;
  [[nodiscard]] Result<void> clean_up(const std::string& key) const final;
  [[nodiscard]] std::vector<std::string> leftovers() const final;

 protected:
  [[nodiscard]] const EnvironmentSpec& spec() const { return spec_; }
  [[nodiscard]] std::string_view name() const { return kEnvironmentKinds.of(spec_.kind); }

  // Refuses what none of them supports.
  [[nodiscard]] Result<void> check_limits() const;
  // Returns `command` with the limits of the spec on processors and memory.
  [[nodiscard]] Result<Command> limited(Command command, const std::string& key) const;
  // Selects the requested GPUs with a variable, because every process sees all of the machine.
  [[nodiscard]] std::map<std::string, std::string> variables(const Command& command,
                                                             const ContainerSpec& container) const;

 private:
  EnvironmentSpec spec_;
};

}  // namespace tacho
