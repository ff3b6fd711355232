#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "record/event.h"
#include "record/metric.h"
#include "record/run_folder.h"
#include "record/usage_summary.h"

namespace tacho {

// Every step that counts, in order: the lists have one entry a step.
struct StepSeries {
  std::vector<double> seconds;
  std::vector<double> input_seconds;
  std::vector<double> loss;
  std::vector<std::int64_t> warmup;  // indices of the steps that are start-up, ascending
  bool operator==(const StepSeries&) const = default;

  // Step times without warm-up; all of them if there is nothing else.
  [[nodiscard]] std::vector<double> steady_seconds() const { return without_warmup(seconds); }
  [[nodiscard]] std::vector<double> steady_input_seconds() const {
    return without_warmup(input_seconds);
  }

 private:
  [[nodiscard]] std::vector<double> without_warmup(const std::vector<double>& values) const;
};

// What came of a run: a pure function of its folder, so that reading the folder again gives the
// same record.
struct RunRecord {
  RunOrder order;
  Outcome outcome = Outcome::running;
  std::string reason;
  std::optional<RunStarted> started;  // of the last attempt
  std::optional<InputReady> input;
  std::optional<ModelReady> model;
  std::optional<RanksReady>
      ranks;  // of the last attempt that made steps; absent where it was one process
  std::vector<EpochDone> epochs;
  StepSeries steps;
  std::vector<RankSteps> rank_steps;  // one a rank, its lists as long as those of `steps`
  std::vector<CheckpointWritten> checkpoints;
  std::vector<std::string> notes;
  std::vector<FiguresSeen> figures;  // what a watched program said, in order
  std::optional<StepsFound> found_steps;
  std::optional<LoadMeasured> load;     // of a load test
  std::map<std::string, double> usage;  // by metric: what its processes were seen to use
  std::vector<std::string> disturbed;   // why its figures are not comparable; empty: they are
  double startup_seconds = 0;           // of the last attempt
  // Of the last attempt, too; absent in records of before they were taken down.
  std::optional<EnvironmentFacts> environment;
  std::optional<StayOver> stay;
  std::optional<double> started_at;  // Unix seconds; a worker's own first moment
  double stays_seconds = 0;          // of all attempts, from the engine's start to its end
  RunEnded totals;                   // times of all attempts added, the highest peak

  // The batches of all ranks, or all samples where there are fewer.
  [[nodiscard]] std::int64_t samples_a_step() const;
};

using MetricValue = std::pair<const Metric*, double>;

// Folds the events of all attempts. What a resumed attempt makes again replaces what was there.
// Without an "end" the outcome stays `running`.
RunRecord fold(RunOrder order, std::span<const Event> events, const UsageLog& usage = {});

// The figures this record has, in the catalogue's order.
std::vector<MetricValue> metrics_of(const RunRecord& record);

Json to_json(const RunRecord& record);
Result<RunRecord> run_record_from_json(const Json& json);

}  // namespace tacho
