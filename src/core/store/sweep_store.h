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
#include "core/record/outcome.h"
#include "core/record/run_record.h"
#include "core/store/run_row.h"
#include "core/store/sqlite.h"
#include "core/store/sweep_task.h"

namespace tacho {

// open: tasks are left, whether or not a tacho process is working on them.
enum class SweepState { open, finished, cancelled };
inline constexpr Names<SweepState, 3> kSweepStates{"state",
                                                   {{{SweepState::open, "open"},
                                                     {SweepState::finished, "finished"},
                                                     {SweepState::cancelled, "cancelled"}}}};

struct SweepRow {
  std::int64_t id = 0;
  std::string key;
  std::string name;
  std::string grid;      // text of the file
  std::string settings;  // limits, budget, needs and launcher as JSON
  double created_at = 0;
  SweepState state = SweepState::open;
};

struct SweepCounts {
  std::map<SweepTaskState, std::int64_t> states;  // contains all five
  std::map<Outcome, std::int64_t> outcomes;       // of done tasks
  double run_seconds = 0;                         // total wall time of all results
  [[nodiscard]] std::int64_t all() const;
};

// A finished attempt of a task.
struct TaskResult {
  std::int64_t position;
  RunRecord record;  // its key is that of the attempt
  std::filesystem::path folder;
};

// Sweeps and their tasks, in the store's file. Every call is one transaction: kill -9 leaves the
// state before or after it. One object belongs to one thread.
class SweepStore {
 public:
  static Result<SweepStore> open(const std::filesystem::path& file);

  // Adds a sweep with all its tasks and assigns their positions. Returns the id.
  Result<std::int64_t> add(const SweepRow& row, std::span<const SweepTask> tasks);

  // Finds a sweep by id, by key or its first characters, or as "last".
  Result<SweepRow> find(std::string_view handle);
  Result<std::vector<SweepRow>> list();
  Result<void> set_state(std::int64_t sweep, SweepState state);
  Result<void> set_settings(std::int64_t sweep, const std::string& settings);

  Result<SweepCounts> counts(std::int64_t sweep);
  // Returns the tasks with this state, or all without one, by position.
  Result<std::vector<SweepTask>> tasks(std::int64_t sweep, std::optional<SweepTaskState> state = {},
                                       std::int64_t limit = INT64_MAX);

  // Returns the done tasks with this outcome.
  Result<std::vector<SweepTask>> tasks_that_ended(std::int64_t sweep, Outcome outcome);

  // Returns the runs of done tasks, by key.
  Result<std::map<std::string, RunRow>> results(std::int64_t sweep);

  // Makes waiting tasks submitted. Assigns unique names to the batch and to the runs of the
  // attempts before anything is started: the key of a run is the batch's name and the task's
  // position.
  struct Batch {
    std::string name;
    std::vector<std::string> run_keys;  // in the order of `positions`
  };
  Result<Batch> begin_batch(std::int64_t sweep, std::span<const std::int64_t> positions);

  // Stores the records and makes their tasks done, all or none. Ignores an attempt that is not the
  // current one of its task, so that no result counts twice. Returns the keys of replaced runs.
  Result<std::vector<std::string>> finish(std::int64_t sweep, std::span<const TaskResult> results);

  // Makes a task wait again after an attempt without a result. `counts`: the attempt counts towards
  // the limit.
  Result<void> put_back(std::int64_t sweep, std::int64_t position, const std::string& run_key,
                        const std::string& reason, bool counts);

  // Skips waiting tasks.
  struct Skip {
    std::int64_t position;
    std::string reason;
  };
  Result<void> skip(std::int64_t sweep, std::span<const Skip> skips);

  // set_state(cancelled) asks the process that drives the sweep to stop. Once no task is running,
  // cancel_rest() cancels all tasks without a result.
  Result<bool> is_cancelled(std::int64_t sweep);
  Result<void> cancel_rest(std::int64_t sweep);
  // Opens a cancelled sweep again; its cancelled tasks wait.
  Result<void> reopen(std::int64_t sweep);
  // Makes tasks wait again that failed, were cancelled or timed out, including those cancelled with
  // the sweep. Returns their number.
  Result<std::int64_t> retry_failed(std::int64_t sweep);

 private:
  explicit SweepStore(Database database) : database_(std::move(database)) {}
  Result<std::vector<SweepRow>> matching(std::string_view handle);

  Database database_;
};

}  // namespace tacho
