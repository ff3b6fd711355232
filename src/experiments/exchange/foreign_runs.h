#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "experiments/exchange/portable_run.h"

namespace tacho {

// Recognises what a path holds, and reads all runs in it: the .wandb files of W&B's offline runs,
// runs of MLflow in files or in a SQLite database, event files of TensorBoard, CSV and JSON Lines.
// `step` names the step in the last two; "" for the usual names.
Result<std::vector<PortableRun>> read_foreign_runs(const std::filesystem::path& path,
                                                   const std::string& step);

}  // namespace tacho
