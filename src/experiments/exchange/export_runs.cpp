#include "experiments/exchange/export_runs.h"

#include <fmt/format.h>

#include <set>

#include "base/file.h"
#include "experiments/exchange/history_file.h"
#include "experiments/exchange/mlflow_folder.h"
#include "experiments/exchange/parquet_file.h"
#include "experiments/exchange/tensorboard_run.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::string file_content(const PortableRun& run, ExportFormat format) {
  switch (format) {
    case ExportFormat::csv:
      return csv_history(run);
    case ExportFormat::jsonl:
      return json_history(run);
    case ExportFormat::parquet:
      return parquet_history(run);
    case ExportFormat::mlflow:
    case ExportFormat::tensorboard:
      break;
  }
  broken_invariant("a format of folders");
}

// Returns the name of the run as a file name that no other run has.
std::string file_name(const PortableRun& run, std::set<std::string>& taken) {
  std::string name = run.described.name;
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || c == '/' || c == '\x7f') c = '_';
  }
  constexpr std::size_t kLongest = 100;
  if (name.empty() || name.starts_with('.') || name.size() > kLongest) name = run.id;
  if (!taken.insert(name).second) taken.insert(name += "-" + run.id);
  return name;
}

}  // namespace

Result<std::vector<fs::path>> export_runs(const std::vector<PortableRun>& runs, ExportFormat format,
                                          const fs::path& path) {
  std::vector<fs::path> written;
  std::set<std::string> taken;
  std::error_code absent;
  const bool is_file = runs.size() == 1 && !fs::is_directory(path, absent);
  // Before anything is written.
  for (const PortableRun& run : runs) {
    if (run.points.empty() && format != ExportFormat::mlflow) {
      return Error{ErrorCode::usage, fmt::format("run {} has no figures; leave it out, or export "
                                                 "its settings with --format mlflow",
                                                 run.described.name)};
    }
  }
  for (const PortableRun& run : runs) {
    if (format == ExportFormat::mlflow) {
      TACHO_CHECK(write_mlflow_run(run, path));
      written = {path};
      continue;
    }
    fs::path place = path / file_name(run, taken);
    if (format == ExportFormat::tensorboard) {
      TACHO_CHECK(write_tensorboard_run(run, place));
    } else {
      place += "." + std::string(kExportFormats.of(format));
      if (is_file) place = path;
      if (place.has_parent_path()) TACHO_CHECK(make_folders(place.parent_path()));
      TACHO_CHECK(write_file_atomically(place, file_content(run, format)));
    }
    written.push_back(place);
  }
  return written;
}

}  // namespace tacho
