#pragma once

#include <filesystem>
#include <string_view>

#include "base/names.h"
#include "base/result.h"
#include "experiments/exchange/portable_run.h"

namespace tacho {

enum class ExportFormat { csv, jsonl, mlflow, parquet, tensorboard };
inline constexpr Names<ExportFormat, 5> kExportFormats{
    "format",
    {{{ExportFormat::csv, "csv"},
      {ExportFormat::jsonl, "jsonl"},
      {ExportFormat::mlflow, "mlflow"},
      {ExportFormat::parquet, "parquet"},
      {ExportFormat::tensorboard, "tensorboard"}}}};

// Writes runs for other tools: a store of MLflow or a folder of TensorBoard with all of them, or a
// file per run. A single run in a file is `path` itself, unless that is a folder. Returns what was
// written.
Result<std::vector<std::filesystem::path>> export_runs(const std::vector<PortableRun>& runs,
                                                       ExportFormat format,
                                                       const std::filesystem::path& path);

}  // namespace tacho
