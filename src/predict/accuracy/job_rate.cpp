#include "predict/accuracy/job_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"
#include "predict/accuracy/abstain.h"
#include "predict/accuracy/dense.h"

namespace tacho {
namespace {

constexpr double kGpuRidge = 0.1;
constexpr double kFeatureRidge = 0.2;
constexpr double kRobust = 0.05;  // residual, in logarithms, beyond which a record counts less
constexpr int kRounds = 20;
constexpr std::size_t kShapeFeatures = 6;

JobShape shape_of(const TimeRecord& record) {
  return {record.gpu, record.gpus, record.nodes, record.batch.value_or(record.gpus), record.recipe};
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::vector<double> JobRate::features(const JobShape& shape) const {
  const double each = std::log(shape.batch / shape.gpus / 128);
  std::vector<double> values = {1,
                                std::log(shape.gpus / 8),
                                std::log(shape.nodes),
                                shape.nodes > 1 ? 1.0 : 0.0,
                                each,
                                each * each};
  for (const std::string& recipe : recipes_) values.push_back(recipe == shape.recipe ? 1 : 0);
  values.resize(values.size() + gpus_.size());
  if (const auto gpu = gpus_.find(shape.gpu); gpu != gpus_.end()) {
    values[kShapeFeatures + recipes_.size() + gpu->second] = 1;
  }
  return values;
}

JobRate JobRate::fit(std::span<const TimeRecord> records) {
  JobRate rate;
  for (const TimeRecord& record : records) {
    rate.gpus_.try_emplace(record.gpu, rate.gpus_.size());
    if (std::ranges::find(rate.recipes_, record.recipe) == rate.recipes_.end()) {
      rate.recipes_.push_back(record.recipe);
    }
  }
  std::vector<std::vector<double>> rows;
  std::vector<double> logs;
  for (const TimeRecord& record : records) {
    rows.push_back(rate.features(shape_of(record)));
    logs.push_back(std::log(record.epochs / record.hours / record.gpus));
  }
  std::vector<double> counts(rows.size(), 1);
  std::vector<double> off(rows.size());
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t size = rate.features({}).size();
    SymmetricMatrix normal(size);
    std::vector<double> right(size);
    for (std::size_t i = 0; i < size; ++i) {
      normal.at(i, i) = i == 0 ? 1e-6 : i < kShapeFeatures ? kFeatureRidge : kGpuRidge;
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      normal.add_outer(rows[r], counts[r]);
      for (std::size_t i = 0; i < size; ++i) right[i] += counts[r] * logs[r] * rows[r][i];
    }
    const auto factor = SymmetricFactor::of(normal);
    if (!factor) broken_invariant("ridge regression without a solution");
    rate.weights_ = factor->solve(right);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      off[r] = std::abs(logs[r] - dot(rate.weights_, rows[r]));
      counts[r] = std::min(1.0, kRobust / std::max(off[r], 1e-9));
    }
  }
  // Errors on held-out systems are larger than on those that were fitted.
  rate.spread_ = std::max(0.03, 1.3 * quantile(off, 0.9) / kDeviations90);
  return rate;
}

Result<Estimate> JobRate::epochs_per_hour(const JobShape& shape) const {
  if (!gpus_.contains(shape.gpu)) {
    return abstain(fmt::format("no published trainings on {}", shape.gpu));
  }
  const double mean = dot(weights_, features(shape)) + std::log(shape.gpus);
  const double half = kDeviations90 * spread_;
  return Estimate{std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

TimeModel TimeModel::fit(std::span<const TimeRecord> records) {
  std::vector<BatchPoint> points;
  std::vector<TimeRecord> with_batch;
  for (const TimeRecord& record : records) {
    if (!record.batch) continue;
    points.push_back({*record.batch, record.epochs, record.recipe});
    with_batch.push_back(record);
  }
  return {BatchLaw::fit(points), JobRate::fit(with_batch)};
}

Result<TimeToTarget> TimeModel::at(const JobShape& shape) const {
  TACHO_TRY(rate, rate_.epochs_per_hour(shape));
  const Estimate epochs = law_.epochs(shape.batch, shape.recipe);
  const Estimate hours_per_epoch{1 / rate.value, 1 / rate.high, 1 / rate.low};
  return TimeToTarget{epochs, product(epochs, hours_per_epoch)};
}

}  // namespace tacho
