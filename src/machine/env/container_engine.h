#pragma once

#include <string>
#include <vector>

#include "machine/env/environment.h"

namespace tacho {

// The common part of docker and podman: images by name, `run` in the foreground, and a program that
// is a child of a daemon or monitor, not of this process. The name and the label kMarkLabel of each
// container contain the run's key, so that it can be found if its tacho process was killed.
class ContainerEngine : public RunEnvironment {
 public:
  explicit ContainerEngine(EnvironmentSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] Result<std::string> version() const final;
  [[nodiscard]] std::vector<std::string> images() const final;
  [[nodiscard]] Result<void> check() const final;
  [[nodiscard]] Result<EnvironmentFacts> describe() const final;
  [[nodiscard]] Result<Command> wrap(const Command& command,
                                     const ContainerSpec& container) const final;
  [[nodiscard]] std::vector<pid_t> members(const std::string& key) const final;
  // A program killed for lack of memory looks like one killed by someone else: with a memory limit,
  // a SIGKILL that was not ours counts as out of memory.
  [[nodiscard]] Ending ending(const std::string& key, ExitStatus client) const final;
  [[nodiscard]] Result<void> clean_up(const std::string& key) const final;
  [[nodiscard]] std::vector<std::string> leftovers() const final;

 protected:
  [[nodiscard]] const EnvironmentSpec& spec() const { return spec_; }
  [[nodiscard]] std::string_view name() const { return kEnvironmentKinds.of(spec_.kind); }

  // The engine's program and the options before its subcommand.
  [[nodiscard]] virtual std::vector<std::string> program() const = 0;
  [[nodiscard]] virtual std::string how_to_install() const = 0;
  // Checks that the engine answers and supports the spec.
  [[nodiscard]] virtual Result<void> check_engine() const = 0;
  [[nodiscard]] virtual std::string version_format() const = 0;
  // Options of `run` that only this engine has or needs.
  [[nodiscard]] virtual std::vector<std::string> run_options() const = 0;
  [[nodiscard]] virtual std::vector<std::string> remove_options() const = 0;

  [[nodiscard]] Result<Captured> ask(const std::vector<std::string>& words) const;

 private:
  EnvironmentSpec spec_;
};

// Returns the first line of an engine's output, without its "Error: ".
std::string first_complaint(const std::string& text);

// Decodes the exit status of `run`: 128+N means signal N.
ExitStatus status_of_program(ExitStatus client);

}  // namespace tacho
