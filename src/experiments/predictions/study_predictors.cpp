#include "experiments/predictions/study_predictors.h"

#include "experiments/predictions/own_runs_here.h"
#include "predict/speed/evaluate_own.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

Result<std::unique_ptr<RunPredictor>> learn_from(const std::vector<const RunRecord*>& records) {
  TACHO_TRY(costs, shipped_own_model_costs());
  std::vector<OwnRun> runs;
  for (const RunRecord* record : records) {
    if (auto run = own_run_of(*record, includes_disturbed_runs())) runs.push_back(*std::move(run));
  }
  if (runs.empty()) return Error{ErrorCode::unavailable, "these runs have no usable step times"};
  TACHO_TRY(learned, OwnRuns::learn(runs, runs.front().host, costs));
  return predictor_by(std::move(learned));
}

Result<std::vector<CorpusScore>> score_corpus(std::int64_t folds) {
  constexpr std::uint64_t kSeed = 1;
  TACHO_TRY(runs, read_own_runs(shipped_corpus()).in("data/corpus"));
  TACHO_TRY(costs, shipped_own_model_costs());
  TACHO_TRY(evaluated, evaluate_own(runs, costs, static_cast<std::size_t>(folds), kSeed));
  std::vector<CorpusScore> scores;
  for (const OwnScore& own : evaluated.step) {
    CorpusScore one{
        .machine = own.machine, .part = own.part, .score = {}, .median_error = own.median_error};
    one.score.configurations = own.configurations;
    one.score.refused = own.refused;
    one.score.mae = own.mean_absolute;
    one.score.rmse = own.root_mean_square;
    one.score.mape = own.mean_error;
    one.score.coverage = own.coverage;
    if (own.repeated > 0) {
      one.repeat_difference = own.repeat_mean;
      one.least_mape = own.least_mean_error;
    }
    scores.push_back(std::move(one));
  }
  return scores;
}

}  // namespace

StudyPredictors study_predictors() { return {.learn = learn_from, .corpus = score_corpus}; }

}  // namespace tacho
