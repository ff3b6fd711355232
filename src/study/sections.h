#pragma once

#include <optional>
#include <string>
#include <vector>

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

std::vector<Block> run_blocks(const RunRecord& record, const std::vector<std::string>& show);

}  // namespace tacho
