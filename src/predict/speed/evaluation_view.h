#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "predict/speed/evaluate.h"
#include "predict/speed/evaluate_own.h"

namespace tacho {

// Errors of predictions as tables for people and as JSON for programs. `whose`: "own" or "shipped"
// runs.
std::string own_scores_table(std::string_view whose, const OwnEvaluation& own,
                             const Terminal& terminal);
std::string published_scores_table(const std::vector<SplitScore>& scores, const Terminal& terminal);
// One line per job of a split, with the published figure, the prediction and its interval.
std::string predicted_csv_headings();
std::string predicted_csv_lines(const std::vector<TrainingExample>& examples, SplitKind kind,
                                const std::vector<HeldOutJob>& predicted);
Json evaluation_json(const OwnEvaluation& own, const OwnEvaluation& shipped,
                     const std::vector<SplitScore>& scores);

}  // namespace tacho
