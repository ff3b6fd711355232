#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "lab/launch.h"
#include "lab/residence.h"
#include "lab/stand_in_network.h"
#include "lab/worker_program.h"
#include "record/run_folder.h"

namespace tacho {

// The workers that one tacho starts: one that is alone, or several ranks.
//
// Ranks notice by themselves that one of them is gone, and end. Those that do not are ended here,
// so that a group never outlives its first failure for long. None outlives this process.
class WorkerGroup {
 public:
  struct Patience {
    std::chrono::milliseconds with_the_others;     // after rank 0's end, or a bad end of another
    std::chrono::milliseconds after_asking{2000};  // between SIGTERM and SIGKILL
  };
  // A little more than the ranks take to notice.
  static Patience patience_of(const DistSpec& dist);
  struct Order {
    const WorkerChoice& worker;
    const std::filesystem::path& home;
    const RunFolder& folder;
    const Launch& launch;
    Patience patience;
    Residence& residence;
    std::map<std::string, std::string> environment = {};  // added to the workers' own
    std::vector<std::filesystem::path> reads = {};        // what they read, beside themselves
    std::string verb = "run";                             // what they are to do with the folder
  };
  // Starts all or none. Call it on a thread that stays.
  static Result<WorkerGroup> start(const Order& order);

  // Whether all have ended, at the latest after `time`.
  bool wait_for(std::chrono::milliseconds time);

  // `interrupts` counts Ctrl-C: the first asks all to stop, the second kills them.
  void pass_on(int interrupts);
  [[nodiscard]] bool asked_to_stop() const { return passed_ > 0; }

  void signal(int number) const;

  // The first processes of all, for sampling; none before each has one.
  [[nodiscard]] std::vector<pid_t> first_processes() const;

  // All below are valid once all have ended.
  [[nodiscard]] std::vector<ChildUsage> usage() const;  // in the order of first_processes()
  [[nodiscard]] bool success() const;
  // Whether what ended it was a SIGKILL that was not sent from here.
  [[nodiscard]] bool killed_from_outside() const;
  [[nodiscard]] bool out_of_memory() const;  // any of them, of the limit it was given
  [[nodiscard]] StayOver stay() const { return members_.front().resident.stay(); }
  // Which of them ended badly first, how, and its last words.
  [[nodiscard]] std::string explain() const;
  [[nodiscard]] const std::filesystem::path& log_to_read() const { return to_blame().log; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Member {
    int rank;
    std::filesystem::path log;
    Resident resident;
    std::optional<ExitStatus> status = {};  // as the program ended
  };

  WorkerGroup(bool ranked, Patience patience) : ranked_(ranked), patience_(patience) {}
  void look();
  Clock::time_point end_the_rest();
  [[nodiscard]] bool all_ended() const;
  [[nodiscard]] const Member& to_blame() const;

  bool ranked_;
  Patience patience_;
  std::optional<StandInNetwork> network_;  // outlives the members
  std::vector<Member> members_;
  std::optional<std::size_t> first_bad_;
  std::optional<Clock::time_point> grace_ends_;
  UniqueFd reserved_;  // the port at which rank 0 listens, for as long as a new one could ask
  int insisted_ = 0;   // 0, SIGTERM, SIGKILL
  int passed_ = 0;
};

}  // namespace tacho
