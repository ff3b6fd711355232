#pragma once

#include <vector>

#include "base/enum_array.h"
#include "predict/speed/correction.h"
#include "predict/speed/interval.h"
#include "predict/speed/learning_set.h"

namespace tacho {

// Errors of jobs whose GPU, model, scale or source was held out.
struct CrossValidation {
  std::vector<CorrectionCase> situations;
  std::vector<float> errors;  // of the neighbours' posterior
  std::vector<std::string> stacks;
  std::vector<float> weights;  // equal per source, except for the square root of its size
};

Result<CrossValidation> cross_validate(const std::vector<TrainingExample>& examples,
                                       std::size_t threads);

Result<Correction> learn_correction(const CrossValidation& cross_validation, std::size_t threads);

// The share of the trees' correction that is used, per kind of novelty: 0 where it did not help.
using CorrectionTrust = EnumArray<Novelty, double, kNovelties>;

struct CorrectedCrossValidation {
  std::vector<CrossValidated> jobs;
  CorrectionTrust trust{};
};

// Applies corrections fitted to jobs of other models on other GPUs: trees that have seen the peak
// of a GPU would recognise it.
Result<CorrectedCrossValidation> corrected(const CrossValidation& cross_validation,
                                           std::size_t threads);

// Returns an interval per kind of novelty, for known and for rough costs; rare kinds use the
// interval of all jobs with equally well known costs, or of all.
std::vector<ConformalInterval> learn_intervals(const std::vector<CrossValidated>& cross_validated);

Novelty novelty_of(const CorrectionCase& situation);
Setting setting_of(const CodedPoint& point, const std::string& stack);
NumberFormat format_of(const JobPoint& point);

}  // namespace tacho
