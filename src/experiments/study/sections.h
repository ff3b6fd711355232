#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/record/run_record.h"
#include "core/store/run_row.h"
#include "core/store/sweep_task.h"
#include "experiments/compare/comparison.h"
#include "experiments/study/document.h"
#include "experiments/study/study.h"
#include "microbench/memory/survey.h"
#include "predict/rent/instance.h"

namespace tacho {

// Turn the records of a study step into parts of a report. `show`: metrics in the order of the
// report; empty for all, or for single runs the usual ones.

std::vector<Block> comparison_blocks(const Comparison& comparison,
                                     const std::vector<std::string>& show);

// A task of a sweep and the run that is its result.
struct SweptRun {
  SweepTask task;
  std::optional<RunRow> run;
};
std::vector<Block> sweep_blocks(const std::vector<SweptRun>& runs,
                                const std::vector<std::string>& show,
                                const std::optional<SweepPicture>& picture);

// Parts of a step's time. The report compares them with the comparison's first variant.
// `independent_seconds`: the step time of the same number of processes without exchange, if it was
// measured.
struct StepParts {
  double seconds = 0;  // mean of a step
  double input = 0;    // waiting for samples
  double line = 0;     // exchanging gradients while nothing is left to compute
  double slowest = 0;  // waiting for the slowest rank
  double samples_per_s = 0;
};
// Averages the steady steps of a run; nothing if there are none.
std::optional<StepParts> step_parts_of(const RunRecord& record);

struct ScaledVariant {
  std::string name;
  std::int64_t ranks = 1;
  std::vector<StepParts> runs;
};
// The first variant is the baseline.
std::vector<Block> missing_blocks(const std::vector<ScaledVariant>& variants,
                                  std::optional<double> independent_seconds);

// A comparison with the title of its step.
struct ComparedChange {
  std::string title;
  Comparison comparison;
};
std::vector<Block> savings_blocks(const std::vector<ComparedChange>& changes);

// A training with the title of its step.
struct PricedTraining {
  std::string title;
  RunRecord record;
};
std::vector<Block> cost_blocks(const std::vector<PricedTraining>& trainings,
                               const std::vector<Instance>& instances);

std::vector<Block> survey_blocks(const bandwidth::Survey& survey);

std::vector<Block> run_blocks(const RunRecord& record, const std::vector<std::string>& show);

}  // namespace tacho
