#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/run_clock.h"
#include "base/subprocess.h"
#include "core/record/event.h"
#include "core/record/run_folder.h"
#include "experiments/runner/end_watch.h"
#include "machine/env/entry_log.h"
#include "machine/env/environment.h"

namespace tacho {

// The environment of one run, opened and described. A bare run without limits has no container: its
// processes start directly, and processes that they leave running at the end of the run continue.
// remove_leftovers() ends the processes of a killed tacho.
//
// clean_up() removes what is left in the environment; the destructor calls it.
class RunContainer {
 public:
  // Returns an error with the fix if the engine, its daemon, the image or a permission is missing.
  static Result<RunContainer> open(const RunOrder& order, RunFolder folder,
                                   std::filesystem::path home);
  RunContainer(RunContainer&&) = default;
  RunContainer& operator=(RunContainer&&) = delete;
  ~RunContainer() { (void)clean_up().ok(); }

  [[nodiscard]] const EnvironmentFacts& facts() const { return facts_; }
  [[nodiscard]] const EnvironmentSpec& spec() const { return spec_; }
  // The clock of all records of this run.
  [[nodiscard]] const RunClock& clock() const { return clock_; }
  [[nodiscard]] bool is_bare() const { return spec_.kind == EnvironmentKind::bare; }

  Result<void> clean_up();

 private:
  friend class ContainerProcess;
  RunContainer(EnvironmentSpec spec, std::string key, RunFolder folder, std::filesystem::path home)
      : spec_(std::move(spec)),
        key_(std::move(key)),
        folder_(std::move(folder)),
        home_(std::move(home)) {}

  EnvironmentSpec spec_;
  std::string key_;
  RunFolder folder_;
  std::filesystem::path home_;
  RunClock clock_;
  EnvironmentFacts facts_;
  std::unique_ptr<RunEnvironment> environment_;  // null: processes start directly
  std::vector<std::string> keys_;                // of the containers that were started
};

// Returns "exceeded its memory limit of 64.0 MiB".
std::string memory_limit_words(const RunOrder& order);

// Removes what a killed tacho left of a run: its containers and all their processes, in any
// session.
void remove_leftovers(const RunOrder& order);

// A process in the environment of a run. The container must outlive it.
class ContainerProcess {
 public:
  struct Plan {
    Command command;
    std::string instead = {};  // program of the machine, if the image lacks the command's
    std::vector<std::filesystem::path> reads = {};
    std::string name = {};  // such as "r1", if a run has several processes
  };
  static Result<ContainerProcess> start(RunContainer& container, const Plan& plan);

  // The program itself, or the client of the engine.
  [[nodiscard]] const Process& process() const { return process_; }
  std::optional<ExitStatus> wait_for(std::chrono::milliseconds time) {
    return process_.wait_for(time);
  }
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const {
    return process_.ends_within(time);
  }

  // Signals the program, or the first process inside, which forwards the signal.
  void signal(int number) const;

  // Returns the first processes inside, for sampling; empty before they exist.
  [[nodiscard]] std::vector<pid_t> first_processes() const;

  // All below are valid after the process has been waited for.
  [[nodiscard]] Ending ending() const;
  [[nodiscard]] ChildUsage usage() const;  // of the program and the children it waited for
  [[nodiscard]] EnvironmentExited exited() const;
  // Returns why the program never started; "" if it did.
  [[nodiscard]] std::string not_started() const;

 private:
  ContainerProcess(const RunContainer& container, std::string key, std::string program,
                   std::filesystem::path log, Process process, double began, double up)
      : container_(container),
        key_(std::move(key)),
        program_(std::move(program)),
        log_(std::move(log)),
        end_(std::make_unique<EndWatch>(process.handle())),
        process_(std::move(process)),
        began_(began),
        up_(up) {}
  [[nodiscard]] bool enters() const { return !container_.is_bare(); }

  const RunContainer& container_;
  std::string key_;
  std::string program_;
  std::filesystem::path log_;      // of tacho-enter
  std::unique_ptr<EndWatch> end_;  // outlives the process
  Process process_;
  double began_;  // on the run's clock
  double up_;
};

}  // namespace tacho
