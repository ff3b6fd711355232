#include "experiments/predictions/prediction_recorder.h"

#include <algorithm>
#include <cmath>

#include "core/store/ledger.h"
#include "experiments/predictions/known_curves.h"
#include "experiments/predictions/own_runs_here.h"
#include "machine/probe/host_probe.h"
#include "predict/accuracy/curve_catalog.h"
#include "predict/rent/ledger_predictions.h"
#include "predict/rent/total_time.h"
#include "training/data/catalog.h"

namespace tacho {
namespace {

// Limits the delay of a run.
constexpr std::size_t kMostPastRuns = 16;

std::vector<Curve> published_of(const RunSpec& spec) {
  std::vector<Curve> curves = published_curves();
  std::erase_if(curves, [&](const Curve& curve) {
    return curve.setting.model != spec.model || curve.setting.data != spec.data;
  });
  return curves;
}

// Returns the number of steps, or nothing if the length of an epoch is unknown.
std::optional<double> steps_of(const RunSpec& spec, const std::vector<RunRecord>& past) {
  const auto a_step = static_cast<double>(samples_per_step(spec));
  double samples = static_cast<double>(spec.train_samples.value_or(0));
  for (const RunRecord& record : past) {
    if (samples > 0) break;
    if (record.input && !record.order.spec.train_samples) {
      samples = static_cast<double>(record.input->train_samples);
    }
  }
  if (samples == 0) {
    if (const auto data = find_dataset(spec.data); data.ok()) {
      samples = static_cast<double>((*data)->train_images);
    }
  }
  if (samples == 0 && !spec.steps) return std::nullopt;
  const double all =
      samples == 0 ? HUGE_VAL : std::ceil(samples / a_step) * static_cast<double>(spec.epochs);
  return spec.steps ? std::min(all, static_cast<double>(*spec.steps)) : all;
}

std::optional<Estimate> total_of(const RunSpec& spec, const Estimate& step_seconds,
                                 const std::vector<RunRecord>& past) {
  std::vector<TimeSpent> spent;
  for (const RunRecord& record : past) {
    // Runs with a different evaluation take a different time.
    const RunSpec& other = record.order.spec;
    if (other.eval_samples != spec.eval_samples || other.device != spec.device) continue;
    if (const auto one = time_spent(record)) spent.push_back(*one);
  }
  const auto steps = steps_of(spec, past);
  if (spent.empty() || !steps) return std::nullopt;
  return total_time(spent, step_seconds, *steps, static_cast<double>(spec.epochs));
}

}  // namespace

void PredictionRecorder::warn_once(const std::string& what, const Error& error) {
  if (!warned_) warn_(what + ": " + error.message);
  warned_ = true;
}

void PredictionRecorder::before(const RunOrder& order) {
  if (order.command) return;
  if (const auto written = try_record(order); !written.ok()) {
    warn_once("the run was not predicted", written.error());
  }
}

void PredictionRecorder::settle() {
  const auto settled = [&]() -> Result<void> {
    TACHO_TRY(ledger, Ledger::open(file_));
    return ledger.settle();
  }();
  if (!settled.ok()) warn_once("the ledger was not updated", settled.error());
}

void PredictionRecorder::after() {
  ++ended_;
  past_.clear();
  // Fitting takes a moment: the first runs improve it much, later ones little.
  if (ended_ - known_ > known_ / 8) {
    opened_ = false;
    known_ = ended_;
  }
}

const RunPredictor* PredictionRecorder::predictor() {
  if (opened_) return predictor_.get();
  opened_ = true;
  auto opened = open_run_predictor(store_);
  if (opened.ok()) {
    predictor_ = *std::move(opened);
  } else if (opened.error().code != ErrorCode::unavailable) {
    warn_once("runs cannot be predicted", opened.error());
  }
  return predictor_.get();
}

Result<const std::vector<RunRecord>*> PredictionRecorder::past_of(const RunSpec& spec) {
  const auto task = std::pair(spec.model, spec.data);
  auto found = past_.find(task);
  if (found == past_.end()) {
    TACHO_TRY(records, own_records(store_, spec.model, spec.data, kMostPastRuns));
    found = past_.emplace(task, std::move(records)).first;
  }
  return &found->second;
}

std::optional<OwnPrediction> PredictionRecorder::predict(const RunSpec& spec) {
  const RunPredictor* own = predictor();
  const auto past = past_of(spec);
  if (own == nullptr || !past.ok()) return std::nullopt;
  auto made = own->run(spec);
  if (!made.ok()) return std::nullopt;
  if (!made->total_seconds) made->total_seconds = total_of(spec, made->step_seconds, **past);
  return *std::move(made);
}

Result<void> PredictionRecorder::try_record(const RunOrder& order) {
  const RunSpec& spec = order.spec;
  const Host host = read_host();
  const PredictionContext when{
      spec.device == Device::cuda && !host.gpu.empty() ? host.gpu : host.cpu, order.created_at};
  TACHO_TRY(past, past_of(spec));
  std::vector<LedgerEntry> made;
  if (const auto own = predict(spec)) made = ledger_entries(order, *own, when);
  if (!is_synthetic(spec)) {
    std::vector<Curve> known = curves_of(*past);
    if (known.empty()) known = published_of(spec);
    for (LedgerEntry& entry : ledger_entries(order, known, when)) made.push_back(std::move(entry));
  }
  if (made.empty()) return {};
  TACHO_TRY(ledger, Ledger::open(file_));
  return ledger.put(made);
}

}  // namespace tacho
