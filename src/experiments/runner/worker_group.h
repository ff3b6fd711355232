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
#include "core/record/run_folder.h"
#include "experiments/runner/launch.h"
#include "experiments/runner/run_container.h"
#include "experiments/runner/simulated_network.h"
#include "experiments/runner/worker_program.h"
#include "machine/comm/announcement.h"

namespace tacho {

// The workers that one tacho starts: a single one, or several ranks.
//
// Ranks detect the loss of another rank and end by themselves. This class ends those that do not,
// so that a group does not outlive its first failure for long. No worker outlives this process.
class WorkerGroup {
 public:
  struct Patience {
    std::chrono::milliseconds with_the_others;      // after rank 0 ended or another rank failed
    std::chrono::milliseconds after_sigterm{2000};  // between SIGTERM and SIGKILL
  };
  // Slightly longer than the ranks take to detect a loss.
  static Patience patience_of(const DistSpec& dist);
  struct Order {
    const WorkerChoice& worker;
    const std::filesystem::path& home;
    const RunFolder& folder;
    const Launch& launch;
    Patience patience;
    RunContainer& container;
    std::map<std::string, std::string> environment = {};  // additional variables
    std::vector<std::filesystem::path> reads = {};        // files that the workers read
    std::string verb = "run";                             // subcommand of the worker
  };
  // Starts all or none. Call it on a thread that outlives the workers.
  static Result<WorkerGroup> start(const Order& order);

  // Waits for at most `time`. Returns true if all workers have ended.
  bool wait_for(std::chrono::milliseconds time);

  // `interrupts` counts Ctrl-C: the first sends SIGTERM to all, the second SIGKILL.
  void forward_interrupts(int interrupts);
  [[nodiscard]] bool stop_requested() const { return forwarded_ > 0; }

  void signal(int number) const;

  // Returns the first process of each worker, for sampling; empty until all have one.
  [[nodiscard]] std::vector<pid_t> first_processes() const;

  // All below are valid once all have ended.
  [[nodiscard]] std::vector<ChildUsage> usage() const;  // in the order of first_processes()
  [[nodiscard]] bool success() const;
  // Returns true if a SIGKILL that this class did not send ended it.
  [[nodiscard]] bool killed_from_outside() const;
  [[nodiscard]] bool out_of_memory() const;  // any worker exceeded its memory limit
  [[nodiscard]] EnvironmentExited exited() const { return members_.front().process.exited(); }
  // Describes the worker that failed first: rank, status and last line of output.
  [[nodiscard]] std::string explain() const;
  [[nodiscard]] const std::filesystem::path& log_to_read() const { return first_failed().log; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Member {
    int rank;
    std::filesystem::path log;
    ContainerProcess process;
    std::optional<ExitStatus> status = {};  // of the program
  };

  WorkerGroup(bool ranked, Patience patience) : ranked_(ranked), patience_(patience) {}
  void collect_ended();
  Clock::time_point end_the_rest();
  [[nodiscard]] bool all_ended() const;
  [[nodiscard]] const Member& first_failed() const;

  bool ranked_;
  Patience patience_;
  std::optional<SimulatedNetwork> network_;  // outlives the members
  std::optional<Announcement> announcement_;
  std::vector<Member> members_;
  std::optional<std::size_t> first_bad_;
  std::optional<Clock::time_point> grace_ends_;
  UniqueFd reserved_;    // keeps the port of rank 0 reserved
  int last_signal_ = 0;  // 0, SIGTERM or SIGKILL
  int forwarded_ = 0;
};

}  // namespace tacho
