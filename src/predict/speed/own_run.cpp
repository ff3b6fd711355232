#include "predict/speed/own_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/record/statistics.h"
#include "predict/speed/csv_columns.h"

namespace tacho {
namespace {

// The median of fewer steps is too uncertain.
constexpr std::size_t kFewestSteps = 5;

// Columns in the order of the file that 'tacho sweep export' writes.
constexpr std::array<std::string_view, 29> kRunColumns = {"outcome",
                                                          "spec.model",
                                                          "spec.data",
                                                          "spec.batch",
                                                          "spec.input",
                                                          "spec.length",
                                                          "spec.workers",
                                                          "spec.optimizer.kind",
                                                          "spec.optimizer.momentum",
                                                          "spec.clip_norm",
                                                          "spec.accumulate",
                                                          "spec.precision",
                                                          "spec.channels_last",
                                                          "spec.graphs",
                                                          "spec.device",
                                                          "spec.mkldnn",
                                                          "spec.stock",
                                                          "spec.trace",
                                                          "spec.ops",
                                                          "spec.dist.ranks_per_node",
                                                          "spec.dist.nodes",
                                                          "cpu",
                                                          "cores",
                                                          "gpu",
                                                          "environment",
                                                          "torch_version",
                                                          "threads_used",
                                                          "steady_steps",
                                                          "step_s"};
// Memory of the process and of the GPU.
constexpr std::array<std::string_view, 2> kMemoryColumns = {"peak_memory", "device_memory"};
// Optional: files of earlier versions do not have it.
constexpr std::string_view kKernelsColumn = "spec.kernels";
constexpr std::string_view kDisturbedColumn = "disturbed";
constexpr std::string_view kProductColumn = "product_gflops";

class RunCells {
 public:
  explicit RunCells(const CsvColumns& columns) : columns_(columns) {}

  [[nodiscard]] bool has(std::string_view column) const { return columns_.has(column); }
  [[nodiscard]] const std::string& text(std::string_view column) const {
    return columns_.text(column);
  }
  [[nodiscard]] Result<std::optional<std::int64_t>> whole(std::string_view column) const {
    TACHO_TRY(value, columns_.number(column));
    if (!value) return std::optional<std::int64_t>();
    if (*value != std::floor(*value) || std::abs(*value) > 1e15) {
      return Error{ErrorCode::usage, fmt::format("{}: {:g} is not a whole number", column, *value)};
    }
    return std::optional(static_cast<std::int64_t>(*value));
  }
  [[nodiscard]] Result<double> number(std::string_view column) const {
    TACHO_TRY(value, columns_.number(column));
    return value.value_or(0);
  }
  template <class Enum, std::size_t N>
  [[nodiscard]] Result<Enum> word(std::string_view column, const Names<Enum, N>& names) const {
    return names.parse(text(column)).in(column);
  }

 private:
  const CsvColumns& columns_;
};

Result<RunSpec> read_spec(const RunCells& row) {
  RunSpec spec;
  spec.model = row.text("spec.model");
  spec.data = row.text("spec.data");
  TACHO_TRY(batch, row.whole("spec.batch"));
  TACHO_TRY(length, row.whole("spec.length"));
  TACHO_TRY(workers, row.whole("spec.workers"));
  TACHO_TRY(accumulate, row.whole("spec.accumulate"));
  TACHO_TRY(ranks, row.whole("spec.dist.ranks_per_node"));
  TACHO_TRY(nodes, row.whole("spec.dist.nodes"));
  TACHO_TRY(optimizer, row.word("spec.optimizer.kind", kOptimizers));
  TACHO_TRY(momentum, row.number("spec.optimizer.momentum"));
  TACHO_TRY(clip, row.number("spec.clip_norm"));
  TACHO_TRY(precision, row.word("spec.precision", kPrecisions));
  TACHO_TRY(layout, row.word("spec.channels_last", kSwitches));
  TACHO_TRY(graphs, row.word("spec.graphs", kSwitches));
  TACHO_TRY(device, row.word("spec.device", kDevices));
  TACHO_TRY(mkldnn, row.word("spec.mkldnn", kSwitches));
  if (!row.text("spec.input").empty()) {
    TACHO_TRY(input, parse_input_size(row.text("spec.input")));
    spec.input = input;
  }
  spec.batch = batch.value_or(0);
  spec.length = length;
  spec.workers = workers;
  spec.accumulate = accumulate.value_or(1);
  spec.dist.ranks_per_node = ranks.value_or(1);
  spec.dist.nodes = nodes.value_or(1);
  spec.optimizer.kind = optimizer;
  spec.optimizer.momentum = momentum;
  if (clip > 0) spec.clip_norm = clip;
  spec.precision = precision;
  spec.channels_last = layout;
  spec.graphs = graphs;
  spec.device = device;
  spec.mkldnn = mkldnn;
  spec.stock = row.text("spec.stock") == "1";
  if (row.has(kKernelsColumn)) {
    TACHO_TRY(kernels, row.word(kKernelsColumn, kKernelKinds));
    spec.kernels = kernels;
  }
  if (std::min({spec.batch, spec.accumulate, spec.dist.ranks_per_node, spec.dist.nodes}) < 1) {
    return Error{
        ErrorCode::usage,
        "spec.batch, spec.accumulate, spec.dist.ranks_per_node and spec.dist.nodes must be "
        "at least 1"};
  }
  return spec;
}

Result<OwnRun> read_run(const RunCells& row) {
  OwnRun run;
  TACHO_TRY(spec, read_spec(row));
  TACHO_TRY(cores, row.whole("cores"));
  TACHO_TRY(threads, row.whole("threads_used"));
  TACHO_TRY(step, row.number("step_s"));
  TACHO_TRY(memory, row.number(spec.device == Device::cuda ? "device_memory" : "peak_memory"));
  if (!(step > 0 && step < 1e7)) {
    return Error{ErrorCode::usage, fmt::format("step_s: {:g} is not a valid step time", step)};
  }
  if (!(memory >= 0 && memory < 1e16)) {
    return Error{ErrorCode::usage, fmt::format("memory: {:g} bytes is out of range", memory)};
  }
  run.spec = std::move(spec);
  // Repeating the run uses the same number; 0: unknown.
  if (threads.value_or(0) > 0) run.spec.threads = threads;
  run.host.cpu = row.text("cpu");
  run.host.cores = cores.value_or(0);
  run.host.gpu = row.text("gpu");
  run.host.environment = row.text("environment");
  run.torch_version = row.text("torch_version");
  run.threads = threads.value_or(0);
  run.step_seconds = step;
  if (row.has(kProductColumn)) {
    TACHO_TRY(product, row.number(kProductColumn));
    run.product_gflops = product;
  }
  run.memory_bytes = memory;
  return run;
}

Result<void> read_file_of_runs(std::string_view csv, std::vector<OwnRun>& runs) {
  TACHO_TRY(records, read_csv(csv));
  std::vector<std::string_view> columns(kRunColumns.begin(), kRunColumns.end());
  columns.insert(columns.end(), kMemoryColumns.begin(), kMemoryColumns.end());
  for (const std::string_view newer : {kKernelsColumn, kDisturbedColumn, kProductColumn}) {
    if (std::ranges::find(records.headings, newer) != records.headings.end()) {
      columns.push_back(newer);
    }
  }
  TACHO_TRY(places, column_places(records, columns));
  for (const CsvRecord& record : records.rows) {
    const std::string place = fmt::format("line {}", record.line);
    const CsvColumns cells(record, columns, places);
    const RunCells row(cells);
    TACHO_TRY(steps, row.number("steady_steps").in(place));
    const bool traced = row.text("spec.trace") == "1" || row.text("spec.ops") == "1";
    if (row.text("outcome") != "ok" || traced || steps < kFewestSteps) continue;
    if (row.has(kDisturbedColumn)) {
      TACHO_TRY(disturbed, row.number(kDisturbedColumn).in(place));
      if (disturbed > 0) continue;
    }
    TACHO_TRY(run, read_run(row).in(place));
    runs.push_back(std::move(run));
  }
  return {};
}

}  // namespace

std::optional<OwnRun> own_run_of(const RunRecord& record, bool include_disturbed) {
  const RunSpec& spec = record.order.spec;
  if (record.outcome != Outcome::ok || record.order.command || spec.trace || spec.ops) return {};
  if (!record.started || (!include_disturbed && !record.disturbed.empty())) return {};
  const auto steady = record.steps.steady_seconds();
  if (steady.size() < kFewestSteps) return {};
  const double step = median(steady);
  if (!(step > 0)) return {};
  const bool cuda = spec.device == Device::cuda;
  const auto memory = cuda ? record.totals.device_memory_bytes : record.totals.peak_memory_bytes;
  return OwnRun{.spec = spec,
                .host = record.started->host,
                .torch_version = record.started->torch_version,
                .threads = record.started->paths.threads,
                .step_seconds = step,
                .product_gflops = record.started->paths.product_gflops,
                .memory_bytes = static_cast<double>(std::max<std::int64_t>(memory, 0))};
}

Result<std::vector<OwnRun>> read_own_runs(std::string_view csv) {
  std::vector<OwnRun> runs;
  while (!csv.empty()) {
    // Every file starts with the same column name.
    constexpr std::string_view kNextFile = "\nkey,";
    const std::size_t next = csv.find(kNextFile);
    const std::string_view file = csv.substr(0, next);
    TACHO_CHECK(read_file_of_runs(file, runs));
    csv.remove_prefix(next == std::string_view::npos ? csv.size() : next + 1);
  }
  return runs;
}

}  // namespace tacho
