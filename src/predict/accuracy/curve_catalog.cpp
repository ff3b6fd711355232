#include "predict/accuracy/curve_catalog.h"

#include <algorithm>
#include <array>

#include "base/csv_table.h"
#include "predict/accuracy/published_curves_csv.h"

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

std::vector<Curve> published_curves() {
  auto curves = read_curves(kPublishedCurvesCsv);
  if (!curves.ok()) broken_invariant("built-in curves: " + curves.error().message);
  return *std::move(curves);
}

}  // namespace tacho
