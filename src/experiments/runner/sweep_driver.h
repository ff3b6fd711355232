#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/store/sweep_store.h"
#include "experiments/runner/batch_cleanup.h"
#include "experiments/runner/run_hook.h"
#include "experiments/runner/sweep_queue.h"
#include "experiments/runner/sweep_verdict.h"
#include "experiments/runner/sweep_view.h"
#include "experiments/sweep/settings.h"
#include "machine/launch/launcher.h"

namespace tacho {

// Returns the position of the waiting task to run next. `waiting` is not empty.
using ChooseNext =
    std::function<Result<std::int64_t>(std::int64_t sweep, const std::vector<SweepTask>& waiting)>;

// Executes the runs of a sweep: keeps the launcher busy, reads the folders of finished runs, and
// writes every change to the store before it takes effect.
//
// A kill -9 loses at most the running attempts: the next driver of the sweep queries the launcher,
// takes the results of attempts that have ended, and submits the others again. The result of a task
// is that of the last attempt in its row.
class SweepDriver {
 public:
  // Limits how often a task that is lost or killed from outside is submitted.
  static constexpr std::int64_t kMostAttempts = 3;

  struct Options {
    std::filesystem::path home;
    std::vector<std::string> take;  // command line of tacho-take, without the run's folder
    std::map<std::string, std::string> environment;  // of that command
    SweepSettings settings;
    ChooseNext choose = {};  // used if the settings are adaptive; otherwise the first task is next
    RunHook* hook = nullptr;
    std::chrono::milliseconds look_every{100};
    // Time to wait for orphan processes that the launcher has lost, before another attempt starts.
    std::chrono::milliseconds orphan_patience{30'000};
    // A scheduler that does not answer is asked again after this time; to remove the jobs of a
    // sweep at most for the other one.
    std::chrono::milliseconds ask_again_after{1000};
    std::chrono::milliseconds removal_patience{60'000};
  };
  // `interrupts` counts Ctrl-C: the first stops submitting and cancels running tasks, the second
  // returns immediately. The sweep can be resumed after both.
  SweepDriver(Options options, SweepStore& store, Launcher& launcher,
              const std::atomic<int>& interrupts, SweepView& view)
      : options_(std::move(options)),
        store_(store),
        launcher_(launcher),
        interrupts_(interrupts),
        view_(view),
        queue_(store, !launcher.has_shared_queue()),
        cleanup_(launcher, view, {options_.ask_again_after, options_.removal_patience}) {}

  enum class End { complete, budget_spent, stopped, cancelled };
  // Call it on a thread that outlives the runs. The caller ensures that a sweep has one driver.
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
  Result<void> adopt_submitted();
  Result<void> skip_too_large();
  Result<void> skip_larger(const std::vector<SweepTask>& out_of_memory);
  // Cancels queued tasks that would not fit either; they become waiting tasks again.
  Result<void> cancel_larger(const std::vector<SweepTask>& out_of_memory);
  Result<bool> fill();  // returns true if there is more to submit
  Result<bool> fill_by_choice();
  [[nodiscard]] std::size_t under_way() const;
  Result<void> submit(std::vector<SweepTask> tasks);
  Result<void> collect();
  struct Ended {
    std::vector<SweepTask> tasks;
    std::vector<TaskResult> results;  // one per task
    bool put_back = false;            // some tasks are waiting again
  };
  Result<void> poll_batch(const std::string& name, Batch& batch, Ended& ended);
  // Returns true if the attempt is over.
  Result<bool> settle(UnderWay& under_way, const TaskUpdate& update, bool counts, Ended& ended);
  Result<void> store_results(const Ended& ended);
  // Tells the user once for each kind of reason why tasks may never start.
  void note_hindrance(const TaskUpdate& update);
  Result<void> check_requests();
  void stop();
  Result<End> conclude();

  [[nodiscard]] RunFolder folder_of(const std::string& key) const;
  [[nodiscard]] Task task_of(const SweepTask& task, const RunOrder& order) const;
  [[nodiscard]] std::int64_t budget_left() const;
  [[nodiscard]] SweepProgress progress() const;
  void remove_folder(const std::string& key) const;

  Options options_;
  SweepStore& store_;
  Launcher& launcher_;
  const std::atomic<int>& interrupts_;
  SweepView& view_;
  SweepQueue queue_;
  BatchCleanup cleanup_;

  std::int64_t sweep_ = 0;
  SweepCounts counts_;
  std::map<std::string, Batch> batches_;
  std::set<std::string> noted_;  // kinds of reasons
  bool stopping_ = false;
  bool cancelled_ = false;
  Clock::time_point cancel_checked_ = {};  // last time the store was checked for a cancellation
  std::size_t most_at_once_ = 0;
  std::optional<Resources> next_needs_ = {};  // of the first waiting task when last checked
  std::optional<SweepTask> chosen_ = {};      // next task, until there is room or a new result
};

}  // namespace tacho
