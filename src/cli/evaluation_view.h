#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "predict/evaluate.h"
#include "predict/evaluate_own.h"

namespace tacho {

// How far predictions are off, as tables for people and as JSON for programs.
// `whose`: "own" or "shipped" runs.
std::string own_scores_table(std::string_view whose, const OwnEvaluation& own,
                             const Terminal& terminal);
std::string published_scores_table(const std::vector<SplitScore>& scores, const Terminal& terminal);
// A line a job, with what was published, what was foretold and how sure; of one split.
std::string foretold_csv_headings();
std::string foretold_csv_lines(const std::vector<Lesson>& lessons, SplitKind kind,
                               const std::vector<ForetoldJob>& foretold);
Json evaluation_json(const OwnEvaluation& own, const OwnEvaluation& shipped,
                     const std::vector<SplitScore>& scores);

}  // namespace tacho
