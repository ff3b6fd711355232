#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/instance.h"
#include "bandwidth/survey.h"
#include "compare/comparison.h"
#include "record/run_record.h"
#include "store/run_row.h"
#include "store/sweep_task.h"
#include "study/document.h"
#include "study/study.h"

namespace tacho {

// What the records of a step say, as parts of a report. `show`: metrics in the order in which they
// are to be told; empty is all there are, or of single runs the usual ones.

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

// The parts of a step's time beyond that of the comparison's first variant. `apart`: the step of
// as many processes that exchange nothing, where that was measured.
struct StepParts {
  double seconds = 0;  // a step of all that follow, on average
  double input = 0;    // waiting for samples
  double line = 0;     // gradients on their way and nothing else to do
  double slowest = 0;  // … of which others were waited for, not the line
  double samples_per_s = 0;
};
// Of a run's steady steps; nothing where there are none.
std::optional<StepParts> step_parts_of(const RunRecord& record);

struct ScaledVariant {
  std::string name;
  std::int64_t ranks = 1;
  std::vector<StepParts> runs;
};
// The first is held against.
std::vector<Block> missing_blocks(const std::vector<ScaledVariant>& variants,
                                  std::optional<double> apart_seconds);

// A comparison under its step's title.
struct ComparedChange {
  std::string title;
  Comparison comparison;
};
std::vector<Block> savings_blocks(const std::vector<ComparedChange>& changes);

// A training under its step's title.
struct PricedTraining {
  std::string title;
  RunRecord record;
};
std::vector<Block> cost_blocks(const std::vector<PricedTraining>& trainings,
                               const std::vector<Instance>& instances);

std::vector<Block> survey_blocks(const bandwidth::Survey& survey);

std::vector<Block> run_blocks(const RunRecord& record, const std::vector<std::string>& show);

}  // namespace tacho
