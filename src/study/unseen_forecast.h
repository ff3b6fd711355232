#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advise/run_predictor.h"
#include "base/result.h"
#include "learn/range.h"
#include "record/run_record.h"

namespace tacho {

// A run and the configuration it repeats: whatever its seed, the same.
struct JudgedRun {
  std::string configuration;
  RunRecord record;
};

// Learns speeds from some runs. ErrorCode::unavailable where they tell nothing.
using LearnSpeeds =
    std::function<Result<std::unique_ptr<RunPredictor>>(const std::vector<const RunRecord*>&)>;

// A configuration as it was foretold by the runs of others, beside what its own measured.
struct UnseenForecast {
  std::string configuration;
  std::vector<const RunRecord*> runs;
  std::optional<Range> epoch_seconds = {};     // nothing: refused
  std::optional<Range> top1 = {};              // after the last epoch
  std::vector<double> accuracy_by_epoch = {};  // foretold
};

// Configurations are dealt into `folds` by chance; each is foretold by those of the other folds
// alone. Runs that did not end well, or trained no whole epoch, are passed over.
Result<std::vector<UnseenForecast>> foretell_unseen(std::span<const JudgedRun> runs,
                                                    std::int64_t folds, const LearnSpeeds& learn);

double epoch_seconds(const RunRecord& record);  // of training, the mean of its epochs

struct ForecastScore {
  std::size_t configurations = 0;
  std::size_t refused = 0;  // not counted below
  double mae = 0;
  double rmse = 0;
  double mape = 0;      // |foretold − measured| / measured
  double coverage = 0;  // share of measurements within the 90 % interval
  // What no forecast of single runs gets below: how far two runs of one configuration are apart.
  std::optional<double> repeat_mae = {};
  std::optional<double> repeat_mape = {};
};
ForecastScore score_epoch_seconds(std::span<const UnseenForecast> all);
ForecastScore score_top1(std::span<const UnseenForecast> all);

// Which configuration reaches an accuracy in the least training time.
struct RankedConfiguration {
  const UnseenForecast* unseen = nullptr;
  std::optional<double> foretold_seconds;  // nothing: not foretold to reach it
  std::optional<double> measured_seconds;  // nothing: did not reach it
};
// By what was foretold; those that are not foretold to reach it come last.
std::vector<RankedConfiguration> rank_by_time_to(double target_top1,
                                                 std::span<const UnseenForecast> all);

// How much longer the first takes than the one that was really the fastest, as a share. Nothing
// where none reached it, or the first did not.
std::optional<double> regret_of_first(std::span<const RankedConfiguration> ranked);

}  // namespace tacho
