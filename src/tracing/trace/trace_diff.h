#pragma once

#include <string>
#include <vector>

#include "base/names.h"
#include "core/record/op_trace.h"
#include "tracing/trace/gpu_findings.h"

namespace tacho {

enum class Change { appeared, gone, slower, faster, same };
inline constexpr Names<Change, 5> kChanges{"change",
                                           {{{Change::appeared, "new"},
                                             {Change::gone, "gone"},
                                             {Change::slower, "slower"},
                                             {Change::faster, "faster"},
                                             {Change::same, "same"}}}};

// A kernel or an operator in two runs. Seconds and counts are per step if both runs have steps,
// else for the whole run.
struct DiffRow {
  std::string name;
  std::string shapes;                     // of an operator
  KernelClass kind = KernelClass::other;  // of a kernel
  OpPhase phase = OpPhase::other;         // of an operator
  Change change = Change::same;
  double before_s = 0;
  double after_s = 0;
  double before_count = 0;
  double after_count = 0;
  // For a kernel that is new or gone: the one of the same class that it replaced or that replaced
  // it, if any.
  std::string instead;
  [[nodiscard]] double change_s() const { return after_s - before_s; }
};

struct ClassDiffRow {
  KernelClass kind = KernelClass::other;
  double before_s = 0;
  double after_s = 0;
};

struct TraceDiff {
  bool for_one_step = false;
  double before_s = 0;  // all rows together
  double after_s = 0;
  std::vector<DiffRow> rows;          // by absolute change, largest first
  std::vector<ClassDiffRow> classes;  // of kernels; by absolute change, largest first
};

TraceDiff diff_kernels(const GpuFindings& before, const GpuFindings& after);

// Compares by operator, shapes and phase; times exclude called operators.
TraceDiff diff_operators(const OpTrace& before, const OpTrace& after);

}  // namespace tacho
