#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/estimate.h"
#include "base/result.h"
#include "core/record/run_record.h"
#include "predict/rent/run_predictor.h"

namespace tacho {

// A run and its configuration, which runs that differ only in the seed share.
struct JudgedRun {
  std::string configuration;
  RunRecord record;
};

// Fits a speed model to runs. Fails with ErrorCode::unavailable if they are not enough.
using LearnSpeeds =
    std::function<Result<std::unique_ptr<RunPredictor>>(const std::vector<const RunRecord*>&)>;

// The prediction for a configuration from runs of other configurations, with its own runs for
// comparison.
struct HeldOutPrediction {
  std::string configuration;
  std::vector<const RunRecord*> runs;
  std::optional<Estimate> epoch_seconds = {};  // absent: abstained
  std::optional<Estimate> top1 = {};           // after the last epoch
  std::vector<double> accuracy_by_epoch = {};  // predicted
};

// Distributes configurations over `folds` at random and predicts each from those of the other
// folds. Runs that failed or trained less than one epoch are ignored.
Result<std::vector<HeldOutPrediction>> predict_held_out(std::span<const JudgedRun> runs,
                                                        std::int64_t folds,
                                                        const LearnSpeeds& learn);

double epoch_seconds(const RunRecord& record);  // mean training time per epoch

struct PredictionScore {
  std::size_t configurations = 0;
  std::size_t refused = 0;  // abstained, not counted below
  double mae = 0;
  double rmse = 0;
  double mape = 0;      // |predicted − measured| / measured
  double coverage = 0;  // share of measurements within the 90 % interval
  // The difference between two runs of one configuration, a lower bound for the error per run.
  std::optional<double> repeat_mae = {};
  std::optional<double> repeat_mape = {};
};
PredictionScore score_epoch_seconds(std::span<const HeldOutPrediction> all);
PredictionScore score_top1(std::span<const HeldOutPrediction> all);

// A configuration with its time to reach an accuracy.
struct RankedConfiguration {
  const HeldOutPrediction* prediction = nullptr;
  std::optional<double> predicted_seconds;  // absent: predicted not to reach it
  std::optional<double> measured_seconds;   // absent: did not reach it
};
// Sorts by predicted time; configurations that are predicted not to reach the target come last.
std::vector<RankedConfiguration> rank_by_time_to(double target_top1,
                                                 std::span<const HeldOutPrediction> all);

// Returns how much longer the first takes than the fastest, relative to the fastest. Nothing if
// none reached the target, or the first did not.
std::optional<double> regret_of_first(std::span<const RankedConfiguration> ranked);

}  // namespace tacho
