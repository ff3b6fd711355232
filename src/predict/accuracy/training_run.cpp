#include "predict/accuracy/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/csv_table.h"
#include "predict/accuracy/published_runs_csv.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 14> kRunColumns = {
    "model",   "gmacs",      "params_M",      "data", "gpu",     "gpus", "batch_per_gpu",
    "workers", "data_split", "learning_rate", "rank", "epoch_s", "top1", "source"};
constexpr std::string_view kOneGpu = "single";

Result<TrainingRun> run_in(const CsvTable& table, std::size_t row) {
  CsvRow reader(table, row);
  TrainingRun run;
  TrainingSetup& setup = run.setup;
  std::string split;
  reader.read("model", setup.model);
  reader.read("gmacs", run.gmacs);
  reader.read("params_M", run.params_m);
  reader.read("data", setup.data);
  reader.read("gpu", setup.gpu);
  reader.read("gpus", setup.gpus);
  reader.read("batch_per_gpu", setup.batch_per_gpu);
  reader.read("workers", setup.workers);
  reader.read("data_split", split);
  reader.read("learning_rate", setup.learning_rate);
  reader.read("epoch_s", run.epoch_seconds);
  reader.read("top1", run.top1);
  reader.read("source", run.source);
  TACHO_CHECK(reader.finish());
  if (split != kOneGpu) {
    const auto parsed = kDataSplits.parse(split);
    if (parsed.ok()) setup.data_split = *parsed;
    if (!parsed.ok()) reader.refuse("data_split", "must be 'single', 'split' or 'whole'");
  }
  const auto positive = [&](std::string_view column, double value) {
    if (!(value > 0)) reader.refuse(column, "must be above 0");
  };
  positive("gmacs", run.gmacs);
  positive("params_M", run.params_m);
  positive("batch_per_gpu", setup.batch_per_gpu);
  positive("learning_rate", setup.learning_rate);
  positive("epoch_s", std::ranges::min(run.epoch_seconds));
  if (!(setup.gpus >= 1)) reader.refuse("gpus", "must be at least 1");
  if (!(setup.workers >= 0)) reader.refuse("workers", "must not be negative");
  if ((split == kOneGpu) != (setup.gpus == 1)) {
    reader.refuse("data_split", "must be 'single' with one GPU, and only then");
  }
  if (run.top1.size() != run.epoch_seconds.size()) {
    reader.refuse("top1", "must have as many values as 'epoch_s'");
  }
  if (std::ranges::any_of(run.top1, [](double a) { return a < 0 || a > 1; })) {
    reader.refuse("top1", "must be between 0 and 1");
  }
  TACHO_CHECK(reader.finish());
  return run;
}

}  // namespace

std::string text_of(const TrainingSetup& setup) {
  return fmt::format("{} on {}, {} × {}, batch {}", setup.model, setup.data, setup.gpus, setup.gpu,
                     setup.batch_per_gpu);
}

Result<std::vector<TrainingRun>> read_training_runs(std::string_view csv) {
  TACHO_TRY(table, CsvTable::parse(csv, kRunColumns));
  std::vector<TrainingRun> runs;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TACHO_TRY(run, run_in(table, row));
    runs.push_back(std::move(run));
  }
  return runs;
}

const std::vector<TrainingRun>& published_training_runs() {
  static const std::vector<TrainingRun> runs = [] {
    auto read = read_training_runs(kPublishedRunsCsv);
    if (!read.ok()) broken_invariant("built-in trainings: " + read.error().message);
    return *std::move(read);
  }();
  return runs;
}

}  // namespace tacho
