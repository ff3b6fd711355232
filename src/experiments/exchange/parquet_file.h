#pragma once

#include <string>

#include "experiments/exchange/portable_run.h"

namespace tacho {

// A Parquet file with a row per point: _step, _timestamp and _runtime as in history_file.h, then a
// column of doubles per figure, null where a point lacks it. The file's metadata "run" says in JSON
// whose points they are. Values are stored plain, without compression.
std::string parquet_history(const PortableRun& run);

}  // namespace tacho
