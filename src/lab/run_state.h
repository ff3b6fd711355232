#pragma once

#include <string>

#include "base/result.h"
#include "record/run_folder.h"
#include "record/run_record.h"

namespace tacho {

// What the folder says of its run. A run that nobody works on any more and that wrote no "end"
// was killed: the "end" it could not write is written for it, so that everyone who reads the
// folder later finds the same.
Result<RunRecord> read_run(const RunFolder& folder);

// The same without writing anything: a run without an "end" is still running.
Result<RunRecord> look_at_run(const RunFolder& folder);

// Writes the "end" of an attempt whose worker is gone. One that has an end keeps it. Where the
// folder cannot be written (a full disk), the record has the end all the same.
Result<RunRecord> close_run(const RunFolder& folder, Outcome outcome, const std::string& reason);

// Whether a process works on it now.
bool is_being_worked_on(const RunFolder& folder);

}  // namespace tacho
