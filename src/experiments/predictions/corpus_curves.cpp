#include "experiments/predictions/corpus_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/csv_records.h"
#include "base/parse_number.h"
#include "core/record/run_options.h"
#include "predict/speed/csv_columns.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 7> kCurveColumns = {
    "key", "outcome", "spec.model", "spec.data", "train_samples", "epoch_top1", "epoch_eval_loss"};
constexpr std::array<std::string_view, 8> kNeededOptions = {
    "model", "data", "batch", "epochs", "optimizer", "lr", "schedule", "accumulate"};
constexpr std::string_view kSteps = "spec.steps";  // set if the run ended within an epoch

Result<std::vector<double>> numbers_in(std::string_view list, std::string_view column) {
  std::vector<double> values;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(';'), list.size());
    const auto value = parse_number<double>(list.substr(0, end));
    if (!value) {
      return Error{ErrorCode::usage,
                   fmt::format("{}: '{}' is not a list of numbers", column, list)};
    }
    values.push_back(*value);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return values;
}

// "spec.optimizer.learning_rate".
std::string column_of(const RunOption& option) { return "spec." + std::string(option.json); }

bool is_needed(const RunOption& option) {
  return std::ranges::find(kNeededOptions, option.name) != kNeededOptions.end();
}

bool is_read(const RunOption& option) {
  return is_needed(option) || option.is(kRecipe) || option.name == "weights-partial" ||
         option.name == "nproc" || option.name == "nnodes";
}

Result<Curve> read_curve(const CsvColumns& row) {
  TrainRequest request;
  // In the order of the table: the optimizer comes before its parameters.
  for (const RunOption& option : run_options()) {
    const std::string column = column_of(option);
    if (!is_read(option) || !row.has(column) || row.text(column).empty()) continue;
    const auto read = option.set(request, row.text(column)).in(column);
    // Another version may write the others differently.
    if (is_needed(option) && !read.ok()) return read.error();
  }
  // Exports do not name the file of given weights.
  if (request.spec.weights_partial) request.spec.weights = "given";
  RunOrder order;
  order.key = row.text("key");
  order.spec = std::move(request.spec);
  Curve curve{.setting = curve_setting(order)};
  TACHO_TRY(samples, row.number("train_samples"));
  TACHO_TRY(accuracy, numbers_in(row.text("epoch_top1"), "epoch_top1"));
  TACHO_TRY(loss, numbers_in(row.text("epoch_eval_loss"), "epoch_eval_loss"));
  curve.setting.epoch_samples = samples.value_or(0);
  curve.accuracy = std::move(accuracy);
  if (loss.size() == curve.accuracy.size()) curve.loss = std::move(loss);
  for (std::size_t i = 1; i <= curve.accuracy.size(); ++i) {
    curve.epochs.push_back(static_cast<double>(i));
  }
  curve.source = order.key;
  curve.own = true;
  return curve;
}

Result<void> read_file_of_curves(std::string_view csv, std::vector<Curve>& curves) {
  TACHO_TRY(records, read_csv(csv));
  std::vector<std::string> columns(kCurveColumns.begin(), kCurveColumns.end());
  const auto add_if_there = [&](std::string column) {
    const bool there = std::ranges::find(records.headings, column) != records.headings.end();
    if (there && std::ranges::find(columns, column) == columns.end()) {
      columns.push_back(std::move(column));
    }
  };
  for (const RunOption& option : run_options()) {
    if (is_read(option)) add_if_there(column_of(option));
  }
  add_if_there(std::string(kSteps));
  const std::vector<std::string_view> names(columns.begin(), columns.end());
  TACHO_TRY(places, column_places(records, names));
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, names, places);
    const bool part = row.has(kSteps) && !row.text(kSteps).empty();
    if (row.text("outcome") != "ok" || row.text("spec.data") == "synthetic" || part) continue;
    if (row.text("epoch_top1").empty()) continue;
    TACHO_TRY(curve, read_curve(row).in(fmt::format("line {}", record.line)));
    curves.push_back(std::move(curve));
  }
  return {};
}

}  // namespace

Result<std::vector<Curve>> read_corpus_curves(std::string_view csv) {
  std::vector<Curve> curves;
  while (!csv.empty()) {
    // Every file starts with the same column name.
    constexpr std::string_view kNextFile = "\nkey,";
    const std::size_t next = csv.find(kNextFile);
    TACHO_CHECK(read_file_of_curves(csv.substr(0, next), curves));
    csv.remove_prefix(next == std::string_view::npos ? csv.size() : next + 1);
  }
  return curves;
}

std::vector<Curve> corpus_curves() {
  std::vector<Curve> all;
  for (const std::string_view files : {shipped_corpus(), shipped_trainings()}) {
    auto curves = read_corpus_curves(files);
    if (!curves.ok()) broken_invariant("data/corpus: " + curves.error().message);
    std::ranges::move(*curves, std::back_inserter(all));
  }
  return all;
}

}  // namespace tacho
