#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "tracing/report/run_findings.h"
#include "tracing/trace/trace_diff.h"

namespace tacho {

// Seconds of a step or of one of its parts, in two runs.
struct DiffFigure {
  std::string name;
  double before_s = 0;
  double after_s = 0;
};

struct RunDiff {
  std::int64_t before_id = 0;
  std::int64_t after_id = 0;
  std::vector<DiffFigure> figures;  // the step's time, then its parts
  std::optional<TraceDiff> kernels;
  std::optional<TraceDiff> operators;
  std::vector<std::string> notes;  // parts that one of the two lacks
};

RunDiff diff(const RunFindings& before, const RunFindings& after);

std::string diff_text(const RunDiff& diff, const Terminal& terminal);
Json diff_json(const RunDiff& diff);

}  // namespace tacho
