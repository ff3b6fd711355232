#pragma once

#include <vector>

#include "base/enum_array.h"
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

// How much of what the trees say is taken, for each kind of news: none where they were of no help.
using CorrectionTrust = EnumArray<News, double, kNews>;

struct CorrectedRehearsal {
  std::vector<Rehearsed> jobs;
  CorrectionTrust trust{};
};

// What a correction leaves of a rehearsal when it was taught by jobs of other models on other GPUs:
// trees that have seen a GPU's peak know the GPU by it.
Result<CorrectedRehearsal> corrected(const Rehearsal& rehearsal, std::size_t threads);

// An interval for each kind of news, for known and for rough costs; those too rare to learn from
// take that of all whose cost is as well known, or of all.
std::vector<ConformalInterval> learn_intervals(const std::vector<Rehearsed>& rehearsed);

News news_of(const CorrectionCase& situation);
Setting setting_of(const CodedPoint& point, const std::string& stack);
NumberFormat format_of(const JobPoint& point);

}  // namespace tacho
