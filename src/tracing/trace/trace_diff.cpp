#include "tracing/trace/trace_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tacho {
namespace {

// Clocks and other jobs make a kernel a few percent slower from run to run.
constexpr double kSame = 0.05;

Change change_of(const DiffRow& row) {
  if (row.before_count == 0) return Change::appeared;
  if (row.after_count == 0) return Change::gone;
  if (std::abs(row.change_s()) <= kSame * row.before_s) return Change::same;
  return row.change_s() > 0 ? Change::slower : Change::faster;
}

void finish(TraceDiff& diff) {
  for (DiffRow& row : diff.rows) {
    row.change = change_of(row);
    diff.before_s += row.before_s;
    diff.after_s += row.after_s;
  }
  std::stable_sort(diff.rows.begin(), diff.rows.end(), [](const DiffRow& a, const DiffRow& b) {
    return std::abs(a.change_s()) > std::abs(b.change_s());
  });
}

// A change of algorithm removes one kernel and adds another. Rows are sorted by change, so the
// longest removed kernel is paired with the longest added one.
void pair_replaced(std::vector<DiffRow>& rows) {
  std::map<KernelClass, std::vector<DiffRow*>> gone;
  std::map<KernelClass, std::vector<DiffRow*>> appeared;
  for (DiffRow& row : rows) {
    if (row.change == Change::gone) gone[row.kind].push_back(&row);
    if (row.change == Change::appeared) appeared[row.kind].push_back(&row);
  }
  for (auto& [kind, removed] : gone) {
    std::vector<DiffRow*>& added = appeared[kind];
    for (std::size_t i = 0; i < std::min(removed.size(), added.size()); ++i) {
      removed[i]->instead = added[i]->name;
      added[i]->instead = removed[i]->name;
    }
  }
}

std::vector<ClassDiffRow> class_diff(const std::vector<DiffRow>& rows) {
  std::map<KernelClass, ClassDiffRow> classes;
  for (const DiffRow& row : rows) {
    ClassDiffRow& sum = classes[row.kind];
    sum.kind = row.kind;
    sum.before_s += row.before_s;
    sum.after_s += row.after_s;
  }
  std::vector<ClassDiffRow> sorted;
  for (const auto& [kind, row] : classes) sorted.push_back(row);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::abs(a.after_s - a.before_s) > std::abs(b.after_s - b.before_s);
  });
  return sorted;
}

}  // namespace

TraceDiff diff_kernels(const GpuFindings& before, const GpuFindings& after) {
  TraceDiff diff;
  diff.for_one_step = before.steps.begins_ns.size() > 1 && after.steps.begins_ns.size() > 1;
  std::map<std::string, DiffRow> rows;
  const auto add = [&](const GpuFindings& run, double DiffRow::*seconds, double DiffRow::*count) {
    for (const KernelRow& kernel : run.tables.kernels) {
      const double times =
          diff.for_one_step ? kernel.count_per_step : static_cast<double>(kernel.time.count);
      if (times == 0) continue;  // only outside the steps
      DiffRow& row = rows[kernel.time.name];
      row.name = kernel.time.name;
      row.kind = kernel.kind;
      row.*seconds = diff.for_one_step ? kernel.seconds_per_step : kernel.time.total_s;
      row.*count = times;
    }
  };
  add(before, &DiffRow::before_s, &DiffRow::before_count);
  add(after, &DiffRow::after_s, &DiffRow::after_count);
  for (auto& [name, row] : rows) diff.rows.push_back(std::move(row));
  finish(diff);
  pair_replaced(diff.rows);
  diff.classes = class_diff(diff.rows);
  return diff;
}

TraceDiff diff_operators(const OpTrace& before, const OpTrace& after) {
  TraceDiff diff;
  diff.for_one_step = !before.step_s.empty() && !after.step_s.empty();
  std::map<std::tuple<std::string, std::string, OpPhase>, DiffRow> rows;
  const auto add = [&](const OpTrace& run, double DiffRow::*seconds, double DiffRow::*count) {
    const double steps = diff.for_one_step ? static_cast<double>(run.step_s.size()) : 1;
    for (const OpRow& op : run.rows) {
      DiffRow& row = rows[{op.name, op.shapes, op.phase}];
      row.name = op.name;
      row.shapes = op.shapes;
      row.phase = op.phase;
      row.*seconds += op.self_s / steps;
      row.*count += static_cast<double>(op.calls) / steps;
    }
  };
  add(before, &DiffRow::before_s, &DiffRow::before_count);
  add(after, &DiffRow::after_s, &DiffRow::after_count);
  for (auto& [key, row] : rows) diff.rows.push_back(std::move(row));
  finish(diff);
  return diff;
}

}  // namespace tacho
