#include "experiments/runner/sweep_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/csv.h"
#include "core/record/metric.h"
#include "core/record/run_options.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

using CsvRow = std::vector<std::pair<std::string, std::string>>;

constexpr std::array kQuantiles = {0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99};

std::string cell_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) return csv_number(value.get<double>());
  return json_text(value);
}

// Writes "spec.optimizer.momentum" and so on, without the paths of this machine.
void add_spec(const RunSpec& spec, CsvRow& row) {
  TrainRequest request;
  request.spec = spec;
  for (const RunOption& option : run_options()) {
    const bool is_path = option.is(kLocal) && option.type == OptionType::text;
    if (option.json.empty() || is_path) continue;
    row.emplace_back(fmt::format("spec.{}", option.json), cell_of(option.get(request)));
  }
}

void add_machine(const RunRecord& record, CsvRow& row) {
  const RunStarted started = record.started.value_or(RunStarted{});
  const Host& host = started.host;
  row.emplace_back("system", host.system);
  row.emplace_back("kernel", host.kernel);
  row.emplace_back("architecture", host.architecture);
  row.emplace_back("cpu", host.cpu);
  row.emplace_back("cpu_mhz", csv_number(host.cpu_mhz));
  row.emplace_back("cores", std::to_string(host.cores));
  row.emplace_back("memory_bytes", std::to_string(host.memory_bytes));
  row.emplace_back("gpu", host.gpu);
  row.emplace_back("gpu_driver", host.gpu_driver);
  row.emplace_back("environment", host.environment);
  row.emplace_back("image_digest", host.image_digest);
  row.emplace_back("tacho_commit", started.tacho_commit);
  row.emplace_back("torch_version", started.torch_version);
  row.emplace_back("threads_used", std::to_string(started.paths.threads));
}

void add_steps(const RunRecord& record, CsvRow& row) {
  const auto steady = record.steps.steady_seconds();
  row.emplace_back("steady_steps", std::to_string(steady.size()));
  for (const double q : kQuantiles) {
    row.emplace_back(fmt::format("step_q{:02.0f}_s", q * 100),
                     steady.empty() ? "" : csv_number(quantile(steady, q)));
  }
}

void add_epochs(const RunRecord& record, CsvRow& row) {
  const auto curve = [&](const char* name, auto value) {
    std::string list;
    for (const EpochDone& epoch : record.epochs) {
      if (!list.empty()) list += ';';
      list += csv_number(value(epoch));
    }
    row.emplace_back(name, std::move(list));
  };
  curve("epoch_train_loss", [](const EpochDone& e) { return e.train_loss; });
  curve("epoch_train_seconds", [](const EpochDone& e) { return e.train_seconds; });
  curve("epoch_eval_loss", [](const EpochDone& e) { return e.eval_loss; });
  curve("epoch_eval_seconds", [](const EpochDone& e) { return e.eval_seconds; });
  curve("epoch_top1", [](const EpochDone& e) { return e.top1; });
  curve("epoch_top5", [](const EpochDone& e) { return e.top5; });
}

CsvRow row_of(const ExportedRun& run) {
  const RunRecord& record = run.record;
  CsvRow row = {{"key", record.order.key},
                {"position", std::to_string(run.task.position)},
                {"repetition", std::to_string(run.task.repetition)},
                {"outcome", std::string(kOutcomes.of(record.outcome))}};
  if (record.order.command) {
    row.emplace_back("command", command_line(*record.order.command));
    for (const auto& [name, value] : run.task.configuration.options()) {
      row.emplace_back("option." + name, value);
    }
  } else {
    add_spec(record.order.spec, row);
  }
  const InputReady input = record.input.value_or(InputReady{});
  row.emplace_back("train_samples", std::to_string(input.train_samples));
  row.emplace_back("classes", std::to_string(input.classes));
  row.emplace_back("steps_per_epoch", std::to_string(input.steps_per_epoch));
  add_machine(record, row);
  add_steps(record, row);
  const auto metrics = metrics_of(record);
  for (const Metric& metric : metric::kAll) {
    std::string cell;
    for (const auto& [has, value] : metrics) {
      if (has->key == metric.key) cell = csv_number(value);
    }
    row.emplace_back(metric.key, std::move(cell));
  }
  add_epochs(record, row);
  return row;
}

}  // namespace

std::string sweep_csv(std::span<const ExportedRun> runs) {
  // Runs of one sweep may have different columns; the table has all of them.
  std::vector<std::string> head;
  std::set<std::string> known;
  std::vector<CsvRow> rows;
  for (const ExportedRun& run : runs) {
    rows.push_back(row_of(run));
    for (const auto& [name, cell] : rows.back()) {
      if (known.insert(name).second) head.push_back(name);
    }
  }
  std::string out = csv_line(head);
  for (const CsvRow& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& name : head) {
      const auto at = std::ranges::find(row, name, &CsvRow::value_type::first);
      cells.push_back(at == row.end() ? "" : at->second);
    }
    out += csv_line(cells);
  }
  return out;
}

}  // namespace tacho
