#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "lab/launch.h"
#include "lab/residence.h"
#include "lab/worker_program.h"
#include "record/event.h"
#include "record/run_record.h"
#include "store/run_store.h"

namespace tacho {

// Told what a run does while it runs.
class RunView {
 public:
  virtual ~RunView() = default;
  virtual void started(std::int64_t id, const RunOrder& order) = 0;
  virtual void event(const Event& event) = 0;
  virtual void tick() = 0;  // several times a second
};

struct FinishedRun {
  std::int64_t id = 0;
  RunRecord record;
};

struct WatchedRun {
  FinishedRun run;
  ExitStatus status;  // of the program
};

// From an order to a stored record: makes the run's folder, starts its worker, the workers of this
// machine's ranks, or the program to watch, and follows what they do.
//
// A run is in the store before its worker starts and in its folder before that, so a kill at any
// moment loses none; reconcile() finds those whose `tacho` was killed.
class Lab {
 public:
  // `interrupts` counts Ctrl-C: the first asks the workers to stop, the second kills them.
  Lab(std::filesystem::path home, RunStore& store, const std::atomic<int>& interrupts)
      : home_(std::move(home)), store_(&store), interrupts_(interrupts) {}
  // Without a store: for take() alone.
  Lab(std::filesystem::path home, const std::atomic<int>& interrupts)
      : home_(std::move(home)), interrupts_(interrupts) {}

  // Carries out a new_order() in its environment, within its time limit. Both are for the tacho
  // that keeps_record(); run_ranks_apart() is for the others.
  Result<FinishedRun> run(const RunOrder& order, const Standing& standing, RunView& view);
  Result<FinishedRun> resume(std::string_view handle, const Standing& standing, RunView& view);

  // Runs someone else's program: the new_order() of a CommandSpec. `echo`: what it prints goes to
  // this process's own streams too.
  Result<WatchedRun> watch(const RunOrder& order, bool echo, RunView& view);

  // Records what this process does itself: the new_order() of a CommandSpec that names it. `work`
  // is given the run's number and where to tell events; an error of it is the run's reason.
  struct WorkEnd {
    Outcome outcome = Outcome::ok;
    std::string reason = {};
  };
  using EventTeller = std::function<Result<void>(const EventBody&)>;
  using OwnWork = std::function<Result<WorkEnd>(std::int64_t id, const EventTeller& tell)>;
  Result<FinishedRun> carry_out(const RunOrder& order, const OwnWork& work);

  // Carries out the order of a folder that someone else made, and stores nothing: whoever made it
  // reads it. A run that is killed from outside gets no end, so that it can be told from one that
  // failed; the error says so.
  Result<RunRecord> take(const RunFolder& folder, RunView& view);

  // What a stored run was asked to do.
  Result<RunOrder> ordered(std::string_view handle);

  // Makes the record of a run's folder anew and stores it.
  Result<FinishedRun> ingest(const std::filesystem::path& folder);

  // Gives every run that is stored as running, but that nobody works on, the outcome its folder
  // tells of, and removes what is left of it in its environment.
  Result<void> reconcile();

 private:
  // All that can be found out before a run begins.
  struct Means {
    Launch launch;
    WorkerChoice worker;
    std::vector<std::filesystem::path> reads;  // its workers', beside themselves
    Residence residence;
  };
  Result<Means> prepare(const RunOrder& order, const RunFolder& folder, const Standing& standing);
  struct Job {
    std::int64_t id;
    const RunOrder& order;
    const RunFolder& folder;
    Means& means;
  };
  Result<FinishedRun> supervise(const Job& job, RunView& view);
  [[nodiscard]] RunFolder folder_of(const RunOrder& order) const {
    return RunFolder(home_ / "runs" / order.key);
  }

  // A run that is in its folder and in the store, and taken.
  struct Begun {
    std::int64_t id;
    RunFolder folder;
    FileLock lock;
  };
  Result<Begun> begin(const RunOrder& order);
  Result<WatchedRun> watch_begun(const Begun& begun, const RunOrder& order, Residence& residence,
                                 bool echo, RunView& view);
  // In the store, where there is one.
  Result<std::int64_t> keep(const RunRecord& record, const RunFolder& folder);

  std::filesystem::path home_;
  RunStore* store_ = nullptr;
  const std::atomic<int>& interrupts_;
};

}  // namespace tacho
