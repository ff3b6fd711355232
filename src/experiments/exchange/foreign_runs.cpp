#include "experiments/exchange/foreign_runs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/confined_file.h"
#include "experiments/exchange/history_file.h"
#include "experiments/exchange/mlflow_database.h"
#include "experiments/exchange/mlflow_folder.h"
#include "experiments/exchange/tensorboard_run.h"
#include "experiments/exchange/wandb_run.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

double changed_at(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? static_cast<double>(status.st_mtime) : 0;
}

// A run that its file identifies: the format has no name and no end.
PortableRun named_by(const fs::path& path, PortableRun run, std::string tool, std::string origin) {
  run.tool = std::move(tool);
  run.id = path.string();
  run.origin = std::move(origin) + ", which does not say how it ended";
  run.source = path;
  run.described.name = (fs::is_directory(path) ? path.filename() : path.stem()).string();
  return run;
}

Result<PortableRun> read_wandb_file(const fs::path& file) {
  TACHO_TRY(bytes, read_confined(file.parent_path(), file, kLargestImport));
  TACHO_TRY(run, read_wandb_run(bytes).in(file.string()));
  run.source = file;
  return std::move(run);
}

Result<PortableRun> read_table(const fs::path& file, const std::string& step) {
  const HistorySource source{step, changed_at(file)};
  TACHO_TRY(text, read_confined(file.parent_path(), file, kLargestImport));
  if (file.extension() == ".csv") {
    TACHO_TRY(run, read_csv_history(text, source).in(file.string()));
    return named_by(file, std::move(run), "csv", "CSV file");
  }
  TACHO_TRY(run, read_json_history(text, source).in(file.string()));
  return named_by(file, std::move(run), "jsonl", "file of JSON Lines");
}

Result<PortableRun> read_tensorboard(const fs::path& folder) {
  TACHO_TRY(run, read_tensorboard_run(folder));
  return named_by(folder, std::move(run), "tensorboard", "TensorBoard folder");
}

// The .wandb files in a folder, in its folders (offline-run-…), and in those of its folder wandb/.
// Links such as latest-run name a run again.
std::vector<fs::path> wandb_files(const fs::path& folder) {
  constexpr int kDeepest = 2;
  std::vector<fs::path> found;
  std::error_code gone;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, gone);
  for (const fs::recursive_directory_iterator end; !gone && at != end; at.increment(gone)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    std::error_code unreadable;
    const bool plain = fs::is_regular_file(at->symlink_status(unreadable));
    if (plain && at->path().extension() == ".wandb") found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

template <class Read>
Result<std::vector<PortableRun>> read_each(const std::vector<fs::path>& paths, Read read) {
  std::vector<PortableRun> runs;
  for (const fs::path& path : paths) {
    TACHO_TRY(run, read(path));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<std::vector<PortableRun>> read_folder(const fs::path& folder) {
  if (const auto files = wandb_files(folder); !files.empty()) {
    return read_each(files, read_wandb_file);
  }
  for (const fs::path& place : {folder, folder / "mlruns"}) {
    TACHO_TRY(runs, read_mlflow_folder(place));
    if (!runs.empty()) return std::move(runs);
  }
  return read_each(tensorboard_folders(folder), read_tensorboard);
}

Result<std::vector<PortableRun>> read_single_file(const fs::path& file, const std::string& step) {
  const std::string kind = file.extension();
  if (kind == ".wandb") return read_each({file}, read_wandb_file);
  if (kind == ".csv" || kind == ".jsonl") {
    return read_each({file}, [&](const fs::path& path) { return read_table(path, step); });
  }
  if (file.filename().string().find("tfevents") != std::string::npos) {
    return read_each({file.parent_path()}, read_tensorboard);
  }
  constexpr std::string_view kSqlite("SQLite format 3\0", 16);
  TACHO_TRY(fd, open_confined(file.parent_path(), file));
  std::array<char, kSqlite.size()> head{};
  const ssize_t got = ::read(fd.get(), head.data(), head.size());
  if (std::string_view(head.data(), std::max<ssize_t>(got, 0)) == kSqlite) {
    return read_mlflow_database(file);
  }
  return std::vector<PortableRun>();
}

}  // namespace

Result<std::vector<PortableRun>> read_foreign_runs(const fs::path& path, const std::string& step) {
  std::error_code absent;
  const fs::path real = fs::canonical(path, absent);
  if (absent) return system_error(path, absent.value());
  const bool folder = fs::is_directory(real, absent);
  TACHO_TRY(runs, folder ? read_folder(real) : read_single_file(real, step));
  for (PortableRun& run : runs) {
    if (run.began == 0) run.began = changed_at(run.source);
    cover_points(run);
  }
  if (!runs.empty()) return std::move(runs);
  return Error{ErrorCode::usage,
               fmt::format("{}: no run of W&B, MLflow or TensorBoard, and neither .csv nor .jsonl; "
                           "'tacho help import-export' shows what can be imported",
                           path.string())};
}

}  // namespace tacho
