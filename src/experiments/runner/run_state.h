#pragma once

#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "core/record/run_folder.h"
#include "core/record/run_record.h"

namespace tacho {

// Reads the record of a run from its folder. A run without a process and without an "end" event was
// killed: this writes the "end" event, so that all later readers get the same record.
Result<RunRecord> read_run(const RunFolder& folder);

// Reads the record without writing anything: a run without an "end" event counts as running.
Result<RunRecord> inspect_run(const RunFolder& folder);

// Writes the "end" event of an attempt whose worker has exited, unless it has one. If the folder
// cannot be written (disk full), the returned record still has the end.
Result<RunRecord> close_run(const RunFolder& folder, Outcome outcome, const std::string& reason);

// Returns true if a process is executing the run now.
bool is_being_worked_on(const RunFolder& folder);

// Takes the run's lock for this process and names it in the folder as the run's owner.
Result<FileLock> own_run(const RunFolder& folder);
// Returns the process that owns the run, if it is on this machine and still works on it. A folder
// is not trusted: a process that it names must hold the folder's lock.
std::optional<int> owner_of(const RunFolder& folder);
// Sends SIGINT to the owner. Returns false if there is none.
bool ask_owner_to_stop(const RunFolder& folder);

}  // namespace tacho
