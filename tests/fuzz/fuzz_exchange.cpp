// Files of other tools' runs: logs of W&B, CSV, JSON Lines, and the files of MLflow.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "experiments/exchange/foreign_runs.h"
#include "experiments/exchange/history_file.h"
#include "experiments/exchange/import_run.h"
#include "experiments/exchange/mlflow_folder.h"
#include "experiments/exchange/parquet_file.h"
#include "experiments/exchange/test_wandb.h"
#include "experiments/exchange/wandb_run.h"
#include "fuzz_loop.h"

namespace tacho {
namespace {

constexpr std::string_view kMeta =
    "run_id: ab12\nrun_name: base\nstart_time: 1700000000125\nend_time: null\nstatus: 3\n";
constexpr std::string_view kMetric = "1700000001001 0.1 0\n1700000002002 nan 1\n";

// What was accepted must be a run whose events can be read again, and that can be exported.
bool is_run(const Result<PortableRun>& run) {
  if (!run.ok()) return false;
  const auto events = events_of(*run);
  for (const Event& event : selected(events)) {
    if (!is_time(event.unix_seconds) || !event_from_line(to_line(event)).ok()) std::abort();
  }
  const auto again = read_json_history(json_history(*run), {"", 0});
  if (again.ok() == run->points.empty() || csv_history(*run).empty() ||
      parquet_history(*run).empty())
    std::abort();
  return true;
}

bool read_mlflow(const std::string& bytes, const std::filesystem::path& folder) {
  const bool is_meta = bytes.find(": ") != std::string::npos;
  (void)write_file_atomically(folder / "meta.yaml", is_meta ? bytes : kMeta, Outlives::kill).ok();
  (void)write_file_atomically(folder / "metrics/loss", is_meta ? kMetric : bytes, Outlives::kill)
      .ok();
  const auto runs = read_mlflow_folder(folder);
  return runs.ok() && runs->size() == 1 && is_run(runs->front());
}

bool read_all(const std::string& bytes, const std::filesystem::path& folder) {
  // A log with these records, whose checksums are right, and the bytes as a log.
  const bool from_records = is_run(read_wandb_run(wandb_file({bytes})));
  const bool from_log = is_run(read_wandb_run(bytes));
  const bool from_csv = is_run(read_csv_history(bytes, {"", 1000}));
  const bool from_json = is_run(read_json_history(bytes, {"", 1000}));
  return read_mlflow(bytes, folder) || from_records || from_log || from_csv || from_json;
}

std::string made_file(Random& random) {
  const std::size_t size = fuzz_size(random, 50'000);
  switch (random.below(5)) {
    case 0:
      return repeated("_step,a\n", 1) + repeated("1,2\n", size / 4);
    case 1:
      return repeated("{\"_step\":1,\"a\":", size / 14) + "1" + repeated("}", size / 14);
    case 2:
      return repeated("{\"_step\":1,\"_timestamp\":5,\"a\":1}\n", size / 32);
    case 3:
      return wandb_file({wandb_part(17, wandb_part(1, "a")),
                         wandb_history(1, {{"a", repeated("[", size) + repeated("]", size)}})});
    default:
      return "a,step" + repeated(",b", size / 20) + "\n1,2" + repeated(",3", size / 20) + "\n";
  }
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const tacho::ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "metrics");
  const auto records = tacho::wandb_records();
  return tacho::fuzz(
      argc, argv,
      {.samples = {tacho::wandb_file(records), records[0] + records[1],
                   "_step,_timestamp,_runtime,loss\n1,1000.5,0.5,2.5\n2,1001,1,nan\n",
                   "{\"_step\":1,\"_timestamp\":1000.5,\"_runtime\":0.5,\"a\":{\"b\":2}}\n",
                   std::string(tacho::kMeta), std::string(tacho::kMetric)},
       .generate = tacho::made_file},
      [&](const std::string& bytes) { return tacho::read_all(bytes, folder.path()); });
}
