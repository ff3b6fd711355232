#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/sweep_queue.h"
#include "lab/sweep_verdict.h"
#include "lab/sweep_view.h"
#include "launch/launcher.h"
#include "store/sweep_store.h"
#include "sweep/settings.h"

namespace tacho {

// Chooses which of the waiting tasks, at least one, is made next: its position.
using ChooseNext =
    std::function<Result<std::int64_t>(std::int64_t sweep, const std::vector<SweepTask>& waiting)>;

// Makes the runs of a sweep: keeps the launcher's room full, reads the folders of runs that have
// ended, and writes every step into the store before the world can see it.
//
// A kill -9 at any moment costs at most the attempts under way: the next driver of the sweep asks
// the launcher what became of them, takes the results of those that ended, and submits the others
// again. A task has one result: that of the last attempt its row names.
class SweepDriver {
 public:
  // A task that is lost, or killed from outside, is submitted again until it was so often.
  static constexpr std::int64_t kMostAttempts = 3;

  struct Options {
    std::filesystem::path home;
    std::vector<std::string> take;  // the program that a run's folder is handed to, and its words
    std::map<std::string, std::string> environment;  // that it needs
    SweepSettings settings;
    ChooseNext choose = {};  // asked if the settings say adaptive; else the first is the next
    std::chrono::milliseconds look_every{100};
    // How long what the launcher has lost sight of may go on; then another attempt is made.
    std::chrono::milliseconds orphan_patience{30'000};
  };
  // `interrupts` counts Ctrl-C: the first stops submitting and cancels what runs, the second leaves
  // at once. Either can be resumed.
  SweepDriver(Options options, SweepStore& store, Launcher& launcher,
              const std::atomic<int>& interrupts, SweepView& view)
      : options_(std::move(options)),
        store_(store),
        launcher_(launcher),
        interrupts_(interrupts),
        view_(view),
        queue_(store, !launcher.has_shared_queue()) {}

  enum class End { complete, budget_spent, stopped, cancelled };
  // Call it on a thread that stays. One driver a sweep at a time, which is the caller's to see to.
  Result<End> run(const SweepRow& sweep);

 private:
  using Clock = std::chrono::steady_clock;
  struct UnderWay {
    SweepTask task;
    TaskState state = TaskState::waiting;
    std::optional<Clock::time_point> orphaned = {};
  };
  using Batch = std::map<std::string, UnderWay>;  // by run key

  Result<void> check_needs();
  Result<void> pick_up();
  Result<void> skip_what_would_not_fit();
  Result<void> skip_larger(const std::vector<SweepTask>& out_of_memory);
  // Those of the launcher's queue that would not fit either; they come back as waiting ones.
  Result<void> cancel_larger(const std::vector<SweepTask>& out_of_memory);
  Result<bool> fill();  // whether there is more to submit
  Result<bool> fill_by_choice();
  [[nodiscard]] std::size_t under_way() const;
  Result<void> submit(std::vector<SweepTask> tasks);
  Result<void> collect();
  struct Ended {
    std::vector<SweepTask> tasks;
    std::vector<TaskResult> results;  // one a task
    bool put_back = false;            // some wait again
  };
  Result<void> hear(const std::string& name, Batch& batch, Ended& ended);
  // Whether it is over, one way or the other.
  Result<bool> settle(UnderWay& under_way, const TaskNews& news, bool counts, Ended& ended);
  Result<void> store_results(const Ended& ended);
  void forget_empty_batches();
  Result<void> heed_requests();
  void stop();
  Result<End> conclude();

  [[nodiscard]] RunFolder folder_of(const std::string& key) const;
  [[nodiscard]] Resources needs_of(const SweepTask& task) const;
  [[nodiscard]] Task task_of(const SweepTask& task) const;
  [[nodiscard]] std::int64_t budget_left() const;
  [[nodiscard]] SweepProgress progress() const;
  void remove_folder(const std::string& key) const;

  Options options_;
  SweepStore& store_;
  Launcher& launcher_;
  const std::atomic<int>& interrupts_;
  SweepView& view_;
  SweepQueue queue_;

  std::int64_t sweep_ = 0;
  SweepCounts counts_;
  std::map<std::string, Batch> batches_;
  bool stopping_ = false;
  bool cancelled_ = false;
  Clock::time_point asked_ = {};  // the store, whether someone has cancelled the sweep
  std::size_t most_at_once_ = 0;
  std::optional<Resources> next_needs_ = {};  // of the first that waited when last seen
  std::optional<SweepTask> chosen_ = {};  // while there is no room for it and nothing new is known
};

}  // namespace tacho
