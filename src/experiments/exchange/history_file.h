#pragma once

#include <string>
#include <string_view>

#include "experiments/exchange/portable_run.h"

namespace tacho {

// Files with the points of one run, with the names of W&B's history: _step, _timestamp (Unix
// seconds) and _runtime (seconds since the start of the run). A figure with such a name, with any
// number of leading underscores, has one more in the file.

struct HistorySource {
  std::string step;  // name of the step's column; "": _step or step, or else the first one
  double file_time;  // Unix seconds; the end of the run if the file has no _timestamp
};

// Reads a CSV file with a line per step. Columns of texts are left out.
Result<PortableRun> read_csv_history(std::string_view text, const HistorySource& source);
// Reads a JSON object per line. Without _step, lines are numbered from 0.
Result<PortableRun> read_json_history(std::string_view text, const HistorySource& source);

std::string csv_history(const PortableRun& run);
std::string json_history(const PortableRun& run);

// The names of all figures, sorted.
std::vector<std::string> figure_names(const PortableRun& run);
// The name of a figure's column.
std::string column_of(const std::string& figure);

}  // namespace tacho
