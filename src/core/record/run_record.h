#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/event.h"
#include "core/record/metric.h"
#include "core/record/run_edits.h"
#include "core/record/run_folder.h"
#include "core/record/usage_summary.h"

namespace tacho {

// All steps of the run in order, without repeated ones; the lists have one entry per step.
struct StepSeries {
  std::vector<double> seconds;
  std::vector<double> input_seconds;
  std::vector<double> loss;
  std::vector<std::int64_t> warmup;  // indices of the warm-up steps, ascending
  bool operator==(const StepSeries&) const = default;

  // Step times without warm-up; all step times if there are only warm-up steps.
  [[nodiscard]] std::vector<double> steady_seconds() const { return without_warmup(seconds); }
  [[nodiscard]] std::vector<double> steady_input_seconds() const {
    return without_warmup(input_seconds);
  }

 private:
  [[nodiscard]] std::vector<double> without_warmup(const std::vector<double>& values) const;
};

// The summary of a run: a pure function of its folder, so that reading the folder again gives the
// same record.
struct RunRecord {
  RunOrder order;
  Outcome outcome = Outcome::running;
  std::string reason;
  std::optional<RunStarted> started;  // of the last attempt
  std::optional<InputReady> input;
  std::optional<ModelReady> model;
  std::optional<RanksReady>
      ranks;  // of the last attempt that made steps; absent if it was one process
  std::vector<EpochDone> epochs;
  StepSeries steps;
  std::vector<RankSteps> rank_steps;  // one per rank, its lists as long as those of `steps`
  std::vector<CheckpointWritten> checkpoints;
  std::vector<std::string> notes;
  std::vector<FiguresSeen> figures;  // of a watched program, in order
  std::optional<StepsFound> found_steps;
  std::optional<RunDescribed> described;  // by a watched program
  std::optional<RunEdits> edits;          // by the user
  std::optional<LoadMeasured> load;       // of a load test
  std::map<std::string, double> usage;    // resource usage of its processes, by metric
  std::vector<std::string> disturbed;     // why its metrics are not comparable; empty: they are
  double startup_seconds = 0;             // of the last attempt
  // Of the last attempt; absent in records of earlier versions.
  std::optional<EnvironmentFacts> environment;
  std::optional<EnvironmentExited> environment_exited;
  std::optional<double> started_at;  // Unix seconds, as reported by the worker
  double environment_seconds = 0;    // from start to end of the engine, all attempts added
  RunEnded totals;                   // times of all attempts added, the highest peak

  // The batches of all ranks together, or all samples if there are fewer.
  [[nodiscard]] std::int64_t samples_per_step() const;

  // As edited, or as described by the program; empty if neither.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string project() const;
  [[nodiscard]] std::vector<std::string> tags() const;
};

using MetricValue = std::pair<const Metric*, double>;

// Folds the events of all attempts into a record. What a resumed attempt repeats replaces the
// earlier events. Without an "end" the outcome stays `running`.
RunRecord fold(RunOrder order, std::span<const Event> events, const UsageLog& usage = {});

// Returns the metrics of this record, in the order of metric::kAll.
std::vector<MetricValue> metrics_of(const RunRecord& record);

Json to_json(const RunRecord& record);
// `steps`: those of the record, if its JSON has none but the warm-up.
Result<RunRecord> run_record_from_json(const Json& json, std::optional<StepSeries> steps = {});

}  // namespace tacho
