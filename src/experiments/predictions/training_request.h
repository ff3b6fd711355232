#pragma once

#include <filesystem>

#include "base/json_object.h"
#include "base/result.h"
#include "core/store/run_store.h"
#include "experiments/predictions/training_question.h"

namespace tacho {

// Answers with everything that is available: learning curves of own runs, of data/corpus and of
// published trainings, and the prices of machines.
Result<TrainingAnswer> answer_training_here(const TrainingQuestion& question,
                                            const Predictor& predictor,
                                            const std::filesystem::path& home, RunStore& store);
Result<TrainingAnswer> answer_training_here(const TrainingQuestion& question,
                                            const Prediction& step,
                                            const std::filesystem::path& home, RunStore& store);

// Predicts a training given as JSON, as 'tacho predict --epochs' does.
Result<Json> predict_training_request(const Json& request, const std::filesystem::path& home,
                                      RunStore& store);

}  // namespace tacho
