#pragma once

#include <filesystem>

#include "base/result.h"
#include "experiments/exchange/portable_run.h"

namespace tacho {

// Reads the runs in a SQLite database of MLflow (mlflow.db).
Result<std::vector<PortableRun>> read_mlflow_database(const std::filesystem::path& file);

}  // namespace tacho
