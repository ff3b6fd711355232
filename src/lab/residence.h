#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/run_clock.h"
#include "base/subprocess.h"
#include "env/environment.h"
#include "env/stay_log.h"
#include "lab/end_watch.h"
#include "record/event.h"
#include "record/run_folder.h"

namespace tacho {

// Where the processes of one run live: its environment, opened and described. A bare run without
// limits has none to enter: its processes are started as they are, and what they leave running when
// the run ends is left running. What a killed tacho leaves running, remove_leftovers() ends.
//
// Whatever is left of a stay is removed by clean_up(), at the latest when this goes.
class Residence {
 public:
  // An error is one sentence with the fix: the engine, its daemon, the image, a right is missing.
  static Result<Residence> open(const RunOrder& order, RunFolder folder,
                                std::filesystem::path home);
  Residence(Residence&&) = default;
  Residence& operator=(Residence&&) = delete;
  ~Residence() { (void)clean_up().ok(); }

  [[nodiscard]] const EnvironmentFacts& facts() const { return facts_; }
  [[nodiscard]] const EnvironmentSpec& spec() const { return spec_; }
  // Of all that is written down of this run.
  [[nodiscard]] const RunClock& clock() const { return clock_; }
  // Programs are looked for in the machine's own folders.
  [[nodiscard]] bool is_bare() const { return spec_.kind == EnvironmentKind::bare; }

  Result<void> clean_up();

 private:
  friend class Resident;
  Residence(EnvironmentSpec spec, std::string key, RunFolder folder, std::filesystem::path home)
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
  std::unique_ptr<RunEnvironment> environment_;  // none: as they are
  std::vector<std::string> stays_;               // keys of what was started
};

// "ran out of the 64 MiB of memory it was given"
std::string memory_limit_words(const RunOrder& order);

// Ends and removes what a killed tacho has left of a run: its containers, and every process that
// was started below its first ones, in whatever session it is by now.
void remove_leftovers(const RunOrder& order);

// A process in its environment. The residence must outlive it.
class Resident {
 public:
  struct Plan {
    Command command;
    std::string instead =
        {};  // the machine's own program, where an image has not got the command's
    std::vector<std::filesystem::path> reads = {};
    std::string name = {};  // of several processes of a run: "r1"
  };
  static Result<Resident> start(Residence& residence, const Plan& plan);

  // Of what was started: the program itself, or the engine's client.
  [[nodiscard]] const Process& process() const { return process_; }
  std::optional<ExitStatus> wait_for(std::chrono::milliseconds time) {
    return process_.wait_for(time);
  }
  [[nodiscard]] bool ends_within(std::chrono::milliseconds time) const {
    return process_.ends_within(time);
  }

  // To the program, or to the first process inside, which hands it on.
  void signal(int number) const;

  // The first processes inside, for sampling; none before they are there.
  [[nodiscard]] std::vector<pid_t> first_processes() const;

  // All below once it has been waited for.
  [[nodiscard]] Ending ending() const;
  [[nodiscard]] ChildUsage usage() const;  // of the program and those it waited for
  [[nodiscard]] StayOver stay() const;
  // Why the program never began, in words; "" if it did.
  [[nodiscard]] std::string not_started() const;

 private:
  Resident(const Residence& residence, std::string key, std::string program,
           std::filesystem::path log, Process process, double began, double up)
      : residence_(residence),
        key_(std::move(key)),
        program_(std::move(program)),
        log_(std::move(log)),
        end_(std::make_unique<EndWatch>(process.handle())),
        process_(std::move(process)),
        began_(began),
        up_(up) {}
  [[nodiscard]] bool enters() const { return !residence_.is_bare(); }

  const Residence& residence_;
  std::string key_;
  std::string program_;
  std::filesystem::path log_;      // of tacho-enter
  std::unique_ptr<EndWatch> end_;  // outlives the process
  Process process_;
  double began_;  // by the run's clock
  double up_;
};

}  // namespace tacho
