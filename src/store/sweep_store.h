#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "record/outcome.h"
#include "record/run_record.h"
#include "store/run_row.h"
#include "store/sqlite.h"
#include "store/sweep_task.h"

namespace tacho {

// open: there is something left to do, whether or not a tacho is at it now.
enum class SweepState { open, finished, cancelled };
inline constexpr Names<SweepState, 3> kSweepStates{"state",
                                                   {{{SweepState::open, "open"},
                                                     {SweepState::finished, "finished"},
                                                     {SweepState::cancelled, "cancelled"}}}};

struct SweepRow {
  std::int64_t id = 0;
  std::string key;
  std::string name;
  std::string grid;      // the file's text
  std::string settings;  // limits, budget, needs, launcher as they were chosen: JSON
  double created_at = 0;
  SweepState state = SweepState::open;
};

struct SweepCounts {
  std::map<SweepTaskState, std::int64_t> states;  // all five are there
  std::map<Outcome, std::int64_t> outcomes;       // of the done
  double run_seconds = 0;                         // what all results took, added
  [[nodiscard]] std::int64_t all() const;
};

// A task's attempt that is over.
struct TaskResult {
  std::int64_t position;
  RunRecord record;  // its key is the attempt's
  std::filesystem::path folder;
};

// Sweeps and their tasks, in the file of the runs. Every call is one transaction: a kill -9 in
// between leaves the state before or the state after. One object belongs to one thread.
class SweepStore {
 public:
  static Result<SweepStore> open(const std::filesystem::path& file);

  // With all its tasks, whose positions are given here. Its id.
  Result<std::int64_t> add(const SweepRow& row, std::span<const SweepTask> tasks);

  // By id, by key or the first characters of one, or "last".
  Result<SweepRow> find(std::string_view handle);
  Result<std::vector<SweepRow>> list();
  Result<void> set_state(std::int64_t sweep, SweepState state);
  Result<void> set_settings(std::int64_t sweep, const std::string& settings);

  Result<SweepCounts> counts(std::int64_t sweep);
  // Those of a state, from the first position on; all where no state is named.
  Result<std::vector<SweepTask>> tasks(std::int64_t sweep, std::optional<SweepTaskState> state = {},
                                       std::int64_t limit = INT64_MAX);

  // The done ones whose result is such.
  Result<std::vector<SweepTask>> tasks_that_ended(std::int64_t sweep, Outcome outcome);

  // The runs of the done, by key.
  Result<std::map<std::string, RunRow>> results(std::int64_t sweep);

  // Waiting tasks become submitted. Names the batch and the runs of the attempts, no name twice,
  // before anything is started: a run's key is its batch's and the task's position.
  struct Batch {
    std::string name;
    std::vector<std::string> run_keys;  // in the order of `positions`
  };
  Result<Batch> begin_batch(std::int64_t sweep, std::span<const std::int64_t> positions);

  // Stores the records and makes their tasks done, all at once. An attempt that is not the task's
  // (any more) is left out: no result counts twice. Keys of the runs that were replaced.
  Result<std::vector<std::string>> finish(std::int64_t sweep, std::span<const TaskResult> results);

  // An attempt that came to nothing: its task waits again. `counts`: as one of those it has.
  Result<void> put_back(std::int64_t sweep, std::int64_t position, const std::string& run_key,
                        const std::string& reason, bool counts);

  // Waiting ones.
  struct Skip {
    std::int64_t position;
    std::string reason;
  };
  Result<void> skip(std::int64_t sweep, std::span<const Skip> skips);

  // Asks whoever drives the sweep to end: set_state(cancelled). Then, once nothing is under way any
  // more: what has no result will get none.
  Result<bool> is_cancelled(std::int64_t sweep);
  Result<void> cancel_rest(std::int64_t sweep);
  // A cancelled sweep is open again, and what was left out of it waits.
  Result<void> reopen(std::int64_t sweep);
  // What failed, was cancelled or ran out of time waits again, and so does what was cancelled with
  // the sweep. How many.
  Result<std::int64_t> retry_failed(std::int64_t sweep);

 private:
  explicit SweepStore(Database database) : database_(std::move(database)) {}
  Result<std::vector<SweepRow>> matching(std::string_view handle);

  Database database_;
};

}  // namespace tacho
