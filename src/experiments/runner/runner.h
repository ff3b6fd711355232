#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "core/record/event.h"
#include "core/record/run_record.h"
#include "core/store/run_store.h"
#include "experiments/runner/launch.h"
#include "experiments/runner/run_container.h"
#include "experiments/runner/run_hook.h"
#include "experiments/runner/worker_program.h"

namespace tacho {

// Receives the progress of a run.
class RunView {
 public:
  virtual ~RunView() = default;
  virtual void started(std::int64_t id, const RunOrder& order) = 0;
  virtual void event(const Event& event) = 0;
  virtual void tick() = 0;  // at least every 100 ms
};

struct FinishedRun {
  std::int64_t id = 0;
  RunRecord record;
};

struct WatchedRun {
  FinishedRun run;
  ExitStatus status;  // of the program
};

// Executes an order and stores its record: makes the run's folder, starts its worker, the workers
// of this machine's ranks, or the program to watch, and follows them.
//
// The folder is written first, then the store, then the worker starts, so a kill at any time loses
// no run; reconcile() finds runs whose `tacho` was killed.
class Runner {
 public:
  // `interrupts` counts Ctrl-C: the first asks the workers to stop, the second kills them.
  Runner(std::filesystem::path home, RunStore& store, const std::atomic<int>& interrupts,
         RunHook* hook = nullptr)
      : home_(std::move(home)), store_(&store), interrupts_(interrupts), hook_(hook) {}
  // Without a store, only take() is available.
  Runner(std::filesystem::path home, const std::atomic<int>& interrupts)
      : home_(std::move(home)), interrupts_(interrupts) {}

  // Executes a new_order() in its environment, within its time limit. run() and resume() are for
  // the tacho that keeps_record(); the others use run_separate_ranks().
  Result<FinishedRun> run(const RunOrder& order, const Standing& standing, RunView& view);
  // From the best checkpoint, the epochs after it are repeated.
  Result<FinishedRun> resume(std::string_view handle, const Standing& standing, RunView& view,
                             CheckpointKind from = CheckpointKind::last);

  // Runs and watches a program: the new_order() of a CommandSpec. With `echo`, its output also goes
  // to the streams of this process.
  Result<WatchedRun> watch(const RunOrder& order, bool echo, RunView& view);

  // Records work of this process as a run: the new_order() of a CommandSpec that names it. `work`
  // gets the run's number and a function that writes events; its error becomes the run's reason.
  struct WorkEnd {
    Outcome outcome = Outcome::ok;
    std::string reason = {};
  };
  using EventTeller = std::function<Result<void>(const EventBody&)>;
  using OwnWork = std::function<Result<WorkEnd>(std::int64_t id, const EventTeller& tell)>;
  Result<FinishedRun> carry_out(const RunOrder& order, const OwnWork& work);

  // Executes the order of an existing folder and stores nothing; the program that made the folder
  // reads it. A run that is killed from outside gets no end, which distinguishes it from a failed
  // run, and an error is returned.
  Result<RunRecord> take(const RunFolder& folder, RunView& view);

  // Records a process that another program started, until it says its end or ends: what it logs,
  // and its resource usage. `order` is the new_order() of a CommandSpec that names it.
  struct AttachPlan {
    pid_t pid;
    int end;  // a pipe from which the line of its RunEnded comes; -1: none
    std::function<void(std::int64_t id, const RunFolder& folder)> started;
  };
  Result<FinishedRun> attach(const RunOrder& order, const AttachPlan& plan);

  // Returns the order of a stored run.
  Result<RunOrder> ordered(std::string_view handle);

  // Computes the record of a run's folder again and stores it.
  Result<FinishedRun> ingest(const std::filesystem::path& folder);

  // Removes a run from the store, and its folder, unless it was ingested from elsewhere or
  // `keep_files`. Returns true if the folder was removed. The caller checks that the run has ended.
  Result<bool> remove(const RunRow& row, bool keep_files);

  // Updates every run that is stored as running but has no process: takes the outcome from its
  // folder and removes its leftovers from the environment.
  Result<void> reconcile();

 private:
  // Everything that is determined before a run starts.
  struct Prepared {
    Launch launch;
    WorkerChoice worker;
    std::vector<std::filesystem::path> reads;  // files that the workers read
    RunContainer container;
  };
  Result<Prepared> prepare(const RunOrder& order, const RunFolder& folder,
                           const Standing& standing);
  struct Job {
    std::int64_t id;
    const RunOrder& order;
    const RunFolder& folder;
    Prepared& prepared;
  };
  Result<FinishedRun> supervise(const Job& job, RunView& view);
  [[nodiscard]] RunFolder folder_of(const RunOrder& order) const {
    return RunFolder(home_ / "runs" / order.key);
  }

  // A run that has a folder and a row in the store, and is locked.
  struct Begun {
    std::int64_t id;
    RunFolder folder;
    FileLock lock;
  };
  Result<Begun> begin(const RunOrder& order);
  Result<WatchedRun> watch_begun(const Begun& begun, const RunOrder& order, RunContainer& container,
                                 bool echo, RunView& view);
  // Writes to the store, if there is one.
  Result<std::int64_t> keep(const RunRecord& record, const RunFolder& folder);

  std::filesystem::path home_;
  RunStore* store_ = nullptr;
  const std::atomic<int>& interrupts_;
  RunHook* hook_ = nullptr;
};

}  // namespace tacho
