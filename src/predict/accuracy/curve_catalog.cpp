#include "predict/accuracy/curve_catalog.h"

#include <algorithm>
#include <array>

#include "base/csv_table.h"
#include "predict/accuracy/published_curves_csv.h"
#include "predict/accuracy/published_results_csv.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 11> kCurveColumns = {
    "model",         "data",          "recipe", "schedule", "system",  "batch",
    "learning_rate", "epoch_samples", "source", "epochs",   "accuracy"};

Result<Curve> curve_in(const CsvTable& table, std::size_t row) {
  CsvRow reader(table, row);
  Curve curve;
  CurveSetting& setting = curve.setting;
  std::string schedule;
  reader.read("model", setting.model);
  reader.read("data", setting.data);
  reader.read("recipe", setting.recipe);
  reader.read("schedule", schedule);
  reader.read("system", setting.system);
  reader.read("batch", setting.batch);
  reader.read_optional("learning_rate", setting.learning_rate);
  reader.read("epoch_samples", setting.epoch_samples);
  reader.read("source", curve.source);
  reader.read("epochs", curve.epochs);
  reader.read("accuracy", curve.accuracy);
  TACHO_CHECK(reader.finish());
  if (schedule != "decay" && schedule != "constant") {
    reader.refuse("schedule", "must be 'decay' or 'constant'");
  }
  if (!(setting.batch > 0)) reader.refuse("batch", "must be above 0");
  if (!(setting.epoch_samples > 0)) reader.refuse("epoch_samples", "must be above 0");
  if (curve.epochs.size() != curve.accuracy.size()) {
    reader.refuse("accuracy", "must have as many values as 'epochs'");
  }
  if (!(curve.epochs.front() > 0) ||
      !std::ranges::is_sorted(curve.epochs, [](double a, double b) { return a <= b; })) {
    reader.refuse("epochs", "must be above 0 and ascend");
  }
  if (std::ranges::any_of(curve.accuracy, [](double a) { return a < 0 || a > 1; })) {
    reader.refuse("accuracy", "must be between 0 and 1");
  }
  setting.decays = schedule == "decay";
  setting.planned_epochs = curve.epochs.back();
  TACHO_CHECK(reader.finish());
  return curve;
}

constexpr std::array<std::string_view, 8> kResultColumns = {
    "model", "data", "recipe", "epochs", "batch", "epoch_samples", "top1", "source"};

Result<Curve> result_in(const CsvTable& table, std::size_t row) {
  CsvRow reader(table, row);
  Curve curve;
  CurveSetting& setting = curve.setting;
  std::optional<double> epochs;
  std::optional<double> batch;
  double top1 = 0;
  reader.read("model", setting.model);
  reader.read("data", setting.data);
  reader.read("recipe", setting.recipe);
  reader.read_optional("epochs", epochs);
  reader.read_optional("batch", batch);
  reader.read("epoch_samples", setting.epoch_samples);
  reader.read("top1", top1);
  reader.read("source", curve.source);
  TACHO_CHECK(reader.finish());
  if (!(setting.epoch_samples > 0)) reader.refuse("epoch_samples", "must be above 0");
  if (!(epochs.value_or(1) > 0)) reader.refuse("epochs", "must be above 0");
  if (!(batch.value_or(1) > 0)) reader.refuse("batch", "must be above 0");
  if (epochs.has_value() != batch.has_value()) reader.refuse("batch", "needs 'epochs'");
  if (!(top1 > 0 && top1 < 1)) reader.refuse("top1", "must be between 0 and 1");
  TACHO_CHECK(reader.finish());
  setting.decays = true;
  setting.batch = batch.value_or(1);
  setting.planned_epochs = epochs.value_or(0);
  setting.system = curve.source;
  curve.epochs = {setting.planned_epochs};
  curve.accuracy = {top1};
  return curve;
}

}  // namespace

Result<std::vector<Curve>> read_curves(std::string_view csv) {
  TACHO_TRY(table, CsvTable::parse(csv, kCurveColumns));
  std::vector<Curve> curves;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TACHO_TRY(curve, curve_in(table, row));
    curves.push_back(std::move(curve));
  }
  return curves;
}

Result<std::vector<Curve>> read_results(std::string_view csv) {
  TACHO_TRY(table, CsvTable::parse(csv, kResultColumns));
  std::vector<Curve> results;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TACHO_TRY(result, result_in(table, row));
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<Curve> published_results() {
  auto results = read_results(kPublishedResultsCsv);
  if (!results.ok()) broken_invariant("built-in results: " + results.error().message);
  return *std::move(results);
}

std::vector<Curve> published_curves() {
  auto curves = read_curves(kPublishedCurvesCsv);
  if (!curves.ok()) broken_invariant("built-in curves: " + curves.error().message);
  return *std::move(curves);
}

}  // namespace tacho
