#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "report/run_findings.h"

namespace tacho {

enum class Change { appeared, gone, slower, faster, same };
inline constexpr Names<Change, 5> kChanges{"change",
                                           {{{Change::appeared, "new"},
                                             {Change::gone, "gone"},
                                             {Change::slower, "slower"},
                                             {Change::faster, "faster"},
                                             {Change::same, "same"}}}};

// A kernel, a call or an operator in two runs, in seconds a step (of the whole run where one of
// the two has no steps).
struct DiffRow {
  std::string kind;  // "kernel", "operator", "call"
  std::string name;
  double before_s = 0;
  double after_s = 0;
  double before_count = 0;
  double after_count = 0;
  Change change = Change::same;
};

struct DiffFigure {
  std::string name;
  double before = 0;
  double after = 0;
};

struct RunDiff {
  std::int64_t before_id = 0;
  std::int64_t after_id = 0;
  bool by_step = false;
  std::vector<DiffFigure> figures;  // step time and its parts, in seconds
  std::vector<DiffRow> rows;        // the greatest difference first
  std::vector<std::string> notes;   // what one of the two does not have
};

// Rows that differ by less than a twentieth and a thousandth of the step are "same".
RunDiff diff(const RunFindings& before, const RunFindings& after);

std::string diff_text(const RunDiff& diff, const Terminal& terminal);
Json diff_json(const RunDiff& diff);

}  // namespace tacho
