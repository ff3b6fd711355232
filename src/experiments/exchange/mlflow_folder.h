#pragma once

#include <filesystem>

#include "base/result.h"
#include "experiments/exchange/portable_run.h"

namespace tacho {

// Reads the runs of a folder in which MLflow stores them as files (mlruns/), or of one experiment
// or run in it. Returns none if the folder is something else.
Result<std::vector<PortableRun>> read_mlflow_folder(const std::filesystem::path& folder);

// Writes a run into such a folder, which may exist.
Result<void> write_mlflow_run(const PortableRun& run, const std::filesystem::path& folder);

}  // namespace tacho
