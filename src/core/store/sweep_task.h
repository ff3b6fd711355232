#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "core/record/configuration.h"
#include "core/record/run_folder.h"
#include "core/store/sqlite.h"

namespace tacho {

enum class SweepTaskState { waiting, submitted, done, skipped, cancelled };
inline constexpr Names<SweepTaskState, 5> kSweepTaskStates{
    "state",
    {{{SweepTaskState::waiting, "waiting"},
      {SweepTaskState::submitted, "submitted"},
      {SweepTaskState::done, "done"},
      {SweepTaskState::skipped, "skipped"},
      {SweepTaskState::cancelled, "cancelled"}}}};

// One run of a sweep with its state.
struct SweepTask {
  std::int64_t position = 0;  // from 1, in the order of execution
  Configuration configuration;
  std::int64_t repetition = 1;
  RunOrder asked;  // without a key
  SweepTaskState state = SweepTaskState::waiting;
  std::int64_t attempt = 0;               // number of submissions
  std::string batch;                      // of the launcher, while it is submitted
  std::optional<std::string> run_key;     // of the current attempt
  std::optional<std::string> result_key;  // of the run that is its result
  std::string reason;                     // why it was skipped, or submitted again
};

// Returns all columns in the order in which read_task() reads them.
std::string_view task_columns();
Result<SweepTask> read_task(const Database& database, const Statement& statement);
// Returns the order as JSON text for the column "asked".
std::string asked_text(const RunOrder& asked);

}  // namespace tacho
