#pragma once

#include <string>
#include <vector>

#include "env/environment.h"

namespace tacho {

// What bare, charliecloud and apptainer have in common: no daemon, so that the program is our child
// and ends as it ends; no limits of their own that need no set-up, so that Tacho makes a cgroup;
// the machine's /dev/shm. What a killed tacho leaves behind is found by kStayVariable.
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

  // What none of them can do.
  [[nodiscard]] Result<void> check_limits() const;
  // `command` held to the spec's processors and memory.
  [[nodiscard]] Result<Command> limited(Command command, const std::string& key) const;
  // With a subset of GPUs where one is asked for: every process sees all of the machine's.
  [[nodiscard]] std::map<std::string, std::string> variables(const Command& command,
                                                             const Stay& stay) const;

 private:
  EnvironmentSpec spec_;
};

}  // namespace tacho
