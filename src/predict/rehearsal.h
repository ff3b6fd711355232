#pragma once

#include <vector>

#include "predict/correction.h"
#include "predict/interval.h"
#include "predict/learning_set.h"

namespace tacho {

// What came of predicting jobs whose GPU, model, scale or source had been hidden.
struct Rehearsal {
  std::vector<CorrectionCase> situations;
  std::vector<float> errors;  // left by the neighbours' belief
  std::vector<std::string> stacks;
  std::vector<float> weights;  // each source the same in all, but for the square root of its size
};

Result<Rehearsal> rehearse(const std::vector<Lesson>& lessons, std::size_t threads);

Result<Correction> learn_correction(const Rehearsal& rehearsal, std::size_t threads);

// What the correction leaves of a rehearsal when each half is corrected by what the other taught.
Result<std::vector<Rehearsed>> corrected(const Rehearsal& rehearsal, std::size_t threads);

// An interval for each kind of news, for known and for rough costs; those too rare to learn from
// take that of all whose cost is as well known, or of all.
std::vector<ConformalInterval> learn_intervals(const std::vector<Rehearsed>& rehearsed);

News news_of(const CorrectionCase& situation);
NumberFormat format_of(const JobPoint& point);

}  // namespace tacho
