#pragma once

#include <string>
#include <vector>

#include "env/environment.h"

namespace tacho {

// What docker and podman have in common: images by name, `run` in the foreground, and a program
// that is not our child but a daemon's or a monitor's. Each container carries the run's key in its
// name and in the label kStayLabel, by which it is found again when its tacho was killed.
class ContainerEngine : public RunEnvironment {
 public:
  explicit ContainerEngine(EnvironmentSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] Result<std::string> version() const final;
  [[nodiscard]] std::vector<std::string> images() const final;
  [[nodiscard]] Result<void> check() const final;
  [[nodiscard]] Result<EnvironmentFacts> describe() const final;
  [[nodiscard]] Result<Command> wrap(const Command& command, const Stay& stay) const final;
  [[nodiscard]] std::vector<pid_t> members(const std::string& key) const final;
  // A program killed for want of memory cannot be told from one that someone else has killed: with
  // a limit on memory, a SIGKILL that was not ours counts as the limit's.
  [[nodiscard]] Ending ending(const std::string& key, ExitStatus client) const final;
  [[nodiscard]] Result<void> clean_up(const std::string& key) const final;
  [[nodiscard]] std::vector<std::string> leftovers() const final;

 protected:
  [[nodiscard]] const EnvironmentSpec& spec() const { return spec_; }
  [[nodiscard]] std::string_view name() const { return kEnvironmentKinds.of(spec_.kind); }

  // The engine's program and what goes before its subcommand.
  [[nodiscard]] virtual std::vector<std::string> program() const = 0;
  [[nodiscard]] virtual std::string how_to_install() const = 0;
  // Whether the engine answers and can do what the spec asks for.
  [[nodiscard]] virtual Result<void> check_engine() const = 0;
  [[nodiscard]] virtual std::string version_format() const = 0;
  // Options of `run` that only this engine has or needs.
  [[nodiscard]] virtual std::vector<std::string> run_options() const = 0;
  [[nodiscard]] virtual std::vector<std::string> remove_options() const = 0;

  [[nodiscard]] Result<Captured> ask(const std::vector<std::string>& words) const;

 private:
  EnvironmentSpec spec_;
};

// The first line an engine said, without its "Error: ".
std::string first_complaint(const std::string& text);

// A program's end as `run` reports it: 128+N for signal N.
ExitStatus status_of_program(ExitStatus client);

}  // namespace tacho
