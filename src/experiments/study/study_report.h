#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/store/run_store.h"
#include "core/store/sweep_store.h"
#include "experiments/study/document.h"
#include "experiments/study/held_out_prediction.h"
#include "experiments/study/prediction_section.h"
#include "experiments/study/study.h"

namespace tacho {

struct StudyStores {
  RunStore& runs;
  SweepStore& sweeps;
  std::filesystem::path home = {};  // memory surveys and machine prices
};

// Passed in, because a build may lack predictions.
struct StudyPredictors {
  LearnSpeeds learn;
  std::function<Result<std::vector<CorpusScore>>(std::int64_t folds)> corpus;
};

// Computed from the store only: the same store gives the same report.
Result<Document> study_report(const Study& study, const StudyRow& row, StudyStores stores,
                              const StudyPredictors& predictors);

// Returns the command that executes a step by hand, or "".
std::string command_of(const StudyStep& step);

}  // namespace tacho
