// Computes the metrics of a record.
#include <cmath>
#include <functional>

#include "base/units.h"
#include "core/record/model_catalog.h"
#include "core/record/rank_figures.h"
#include "core/record/run_record.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

double sum_over_epochs(const RunRecord& record, double EpochDone::*field) {
  double sum = 0;
  for (const EpochDone& epoch : record.epochs) sum += epoch.*field;
  return sum;
}

// Adds the start and end times of the environment.
void add_environment(const RunRecord& record,
                     const std::function<void(const Metric&, double)>& add) {
  if (!record.environment_exited) return;
  const EnvironmentExited& exited = *record.environment_exited;
  if (exited.entered) add(metric::kImageStartS, *exited.entered - exited.began);
  if (exited.entered && record.started_at && !record.order.command) {
    add(metric::kProcessStartS, *record.started_at - *exited.entered);
  }
  if (exited.ended) add(metric::kImageEndS, exited.left - *exited.ended);
  if (record.environment_seconds > 0) add(metric::kTotalS, record.environment_seconds);
}

void add_load(const LoadMeasured& load, const std::function<void(const Metric&, double)>& add) {
  add(metric::kRequestsPerS, load.requests_per_s);
  if (load.ok > 0) {
    add(metric::kLatencyP50S, load.p50_s);
    add(metric::kLatencyP99S, load.p99_s);
    add(metric::kLatencyP999S, load.p999_s);
  }
  add(metric::kFailedRequests, static_cast<double>(load.failed()));
  if (const auto dollars = load.usd_per_million()) add(metric::kDollarsPerMillion, *dollars);
}

}  // namespace

std::vector<MetricValue> metrics_of(const RunRecord& record) {
  std::vector<MetricValue> values;
  const auto tokens = tokens_per_sample(record.order.spec);
  const auto add = [&values](const Metric& metric, double value) {
    values.emplace_back(&metric, value);
  };
  if (!record.epochs.empty()) {
    const EpochDone& last = record.epochs.back();
    add(metric::kTop1, last.top1);
    add(metric::kTop5, last.top5);
    add(metric::kEvalLoss, last.eval_loss);
    add(metric::kTrainLoss, last.train_loss);
    if (tokens) add(metric::kPerplexity, std::exp(last.eval_loss));
  }
  if (!record.steps.seconds.empty()) {
    const auto steady = record.steps.steady_seconds();
    const double step = median(steady);
    const double samples_per_s = static_cast<double>(record.samples_per_step()) / step;
    add(metric::kSamplesPerS, samples_per_s);
    if (tokens) add(metric::kTokensPerS, static_cast<double>(*tokens) * samples_per_s);
    add(metric::kStepS, step);
    add(metric::kStepP25S, quantile(steady, 0.25));
    add(metric::kStepP75S, quantile(steady, 0.75));
    add(metric::kFirstStepS, record.steps.seconds.front());
    const auto waits = record.steps.steady_input_seconds();
    add(metric::kInputS, median(waits));
    add(metric::kInputShare, mean(waits) / mean(steady));
  }
  if (record.found_steps && record.steps.seconds.empty()) {
    const StepsFound& found = *record.found_steps;
    if (record.samples_per_step() > 0) {
      add(metric::kSamplesPerS, static_cast<double>(record.samples_per_step()) / found.period_s);
    }
    add(metric::kStepS, found.period_s);
    add(metric::kStepP25S, found.p25_s);
    add(metric::kStepP75S, found.p75_s);
  }
  if (record.ranks) add(metric::kRanks, static_cast<double>(record.ranks->ranks.size()));
  if (const auto comm = comm_figures_of(record)) {
    add(metric::kCommS, comm->seconds);
    add(metric::kCommHidden, comm->hidden_share);
    add(metric::kSentBytes, comm->wire_bytes);
    add(metric::kBusBytesPerS, comm->bytes_per_second);
    add(metric::kSlowestWaitS, comm->slowest_wait_seconds);
  }
  add_environment(record, add);
  if (record.model) add(metric::kStartupS, record.startup_seconds);
  if (!record.epochs.empty()) {
    add(metric::kTrainS, sum_over_epochs(record, &EpochDone::train_seconds));
    add(metric::kEvalS, sum_over_epochs(record, &EpochDone::eval_seconds));
  }
  if (record.totals.wall_seconds > 0) add(metric::kWallS, record.totals.wall_seconds);
  if (record.totals.user_seconds > 0) add(metric::kUserS, record.totals.user_seconds);
  if (record.totals.system_seconds > 0) add(metric::kSystemS, record.totals.system_seconds);
  if (record.totals.peak_memory_bytes > 0) {
    add(metric::kPeakMemory, static_cast<double>(record.totals.peak_memory_bytes));
  }
  if (record.totals.device_memory_bytes > 0) {
    add(metric::kDeviceMemory, static_cast<double>(record.totals.device_memory_bytes));
  }
  // Every process has some: 0 means that they were not counted.
  if (record.totals.minor_faults > 0) {
    add(metric::kMinorFaults, static_cast<double>(record.totals.minor_faults));
    add(metric::kMajorFaults, static_cast<double>(record.totals.major_faults));
  }
  if (record.model) add(metric::kParameters, static_cast<double>(record.model->parameters));
  if (!record.order.command) {
    add(metric::kEpochsDone, static_cast<double>(record.epochs.size()));
    add(metric::kStepsDone, static_cast<double>(record.steps.seconds.size()));
  } else if (record.found_steps) {
    add(metric::kStepsDone, static_cast<double>(record.found_steps->steps));
  }
  for (const Metric& metric : metric::kAll) {
    const auto used = record.usage.find(std::string(metric.key));
    if (used != record.usage.end()) add(metric, used->second);
  }
  if (record.started && record.started->paths.product_gflops > 0) {
    add(metric::kProductGflops, record.started->paths.product_gflops);
  }
  if (record.load) add_load(*record.load, add);
  return values;
}

}  // namespace tacho
