#pragma once

#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/names.h"
#include "core/store/run_store.h"

namespace tacho {

enum class RunTable { runs, epochs, steps };
inline constexpr Names<RunTable, 3> kRunTables{
    "table",
    {{{RunTable::runs, "runs"}, {RunTable::epochs, "epochs"}, {RunTable::steps, "steps"}}}};

// Machine-readable tables: units are in the column names, numbers have all digits.
std::string runs_csv(const std::vector<RunRow>& rows);
Json runs_json(const std::vector<RunRow>& rows);
std::string table_csv(RunTable table, const std::vector<StoredRun>& runs);
// Returns the complete record and its id in this store.
Json record_json(std::int64_t id, const RunRecord& record);
Json records_json(const std::vector<StoredRun>& runs);
// The same without the lists of steps and figures, but with "last_figures", the last value of each
// figure, and "listed", the row of the run.
Json brief_records_json(std::vector<StoredRun> runs);

}  // namespace tacho
