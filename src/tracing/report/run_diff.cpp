#include "tracing/report/run_diff.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.h"
#include "base/units.h"
#include "tracing/report/short_name.h"
#include "tracing/report/step_breakdown.h"

namespace tacho {
namespace {

double seconds_of(const StepBreakdown& step, std::string_view key) {
  for (const StepPart& part : step.parts) {
    if (part.key == key) return part.seconds;
  }
  return 0;
}

std::vector<DiffFigure> figures_of(const StepBreakdown& before, const StepBreakdown& after) {
  std::vector<DiffFigure> figures = {{"step", before.seconds, after.seconds}};
  std::vector<std::string_view> keys;
  for (const StepBreakdown* step : {&before, &after}) {
    for (const StepPart& part : step->parts) {
      if (std::find(keys.begin(), keys.end(), part.key) != keys.end()) continue;
      keys.push_back(part.key);
      figures.push_back(
          {std::string(part.title), seconds_of(before, part.key), seconds_of(after, part.key)});
    }
  }
  return figures;
}

std::string spent(double seconds) { return seconds > 0 ? human(Seconds(seconds)) : "-"; }

std::string relative(double before, double after) {
  if (before <= 0) return after > 0 ? "new" : "-";
  if (after <= 0) return "gone";
  return fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

std::string figure_table(const RunDiff& diff, const Terminal& terminal) {
  Table table({{"", Align::left}, {"before"}, {"after"}, {"change"}});
  for (const DiffFigure& figure : diff.figures) {
    table.add({figure.name, spent(figure.before_s), spent(figure.after_s),
               relative(figure.before_s, figure.after_s)});
  }
  return table.text(terminal);
}

std::string rows_text(std::string_view what, const TraceDiff& diff, const Terminal& terminal) {
  constexpr std::size_t kRows = 20;
  constexpr std::size_t kNameColumns = 40;
  Table table({{"", Align::left}, {"before"}, {"after"}, {"change"}, {"name", Align::left}});
  std::size_t changed = 0;
  for (const DiffRow& row : diff.rows) {
    if (row.change == Change::same || ++changed > kRows) continue;
    const std::string name = short_kernel_name(row.name) + " " + row.shapes;
    table.add({std::string(kChanges.of(row.change)), spent(row.before_s), spent(row.after_s),
               relative(row.before_s, row.after_s), shortened(printable(name), kNameColumns)});
  }
  std::string out =
      "\n" +
      terminal.bold(fmt::format("{}, {}: {} before, {} after", what,
                                diff.for_one_step ? "per step" : "whole run",
                                human(Seconds(diff.before_s)), human(Seconds(diff.after_s)))) +
      "\n";
  if (!table.empty()) out += table.text(terminal);
  if (changed > kRows)
    out += terminal.dim(fmt::format("{} more in --json", changed - kRows)) + "\n";
  return out + terminal.dim(fmt::format("{} unchanged", diff.rows.size() - changed)) + "\n";
}

Json rows_json(const std::optional<TraceDiff>& diff, bool kernels) {
  if (!diff) return nullptr;
  Json rows = Json::array();
  for (const DiffRow& row : diff->rows) {
    Json json = {{"change", kChanges.of(row.change)}, {"name", row.name},
                 {"before_s", row.before_s},          {"after_s", row.after_s},
                 {"before_count", row.before_count},  {"after_count", row.after_count}};
    if (kernels) {
      json["class"] = kKernelClasses.of(row.kind);
      json["instead"] = row.instead;
    } else {
      json["shapes"] = row.shapes;
      json["phase"] = kOpPhases.of(row.phase);
    }
    rows.push_back(std::move(json));
  }
  return {{"for_one_step", diff->for_one_step},
          {"before_s", diff->before_s},
          {"after_s", diff->after_s},
          {"rows", std::move(rows)}};
}

void note_missing(RunDiff& diff, const RunFindings& run) {
  for (const AbsentPart& part : run.absent) {
    diff.notes.push_back(fmt::format("run {}: no {}: {}", run.id, part.part, part.why));
  }
}

}  // namespace

RunDiff diff(const RunFindings& before, const RunFindings& after) {
  RunDiff diff{.before_id = before.id, .after_id = after.id};
  const auto was = step_breakdown_of(before);
  const auto is = step_breakdown_of(after);
  if (was && is) diff.figures = figures_of(*was, *is);
  if (before.gpu() != nullptr && after.gpu() != nullptr) {
    diff.kernels = diff_kernels(*before.gpu(), *after.gpu());
  }
  if (before.ops && after.ops) diff.operators = diff_operators(*before.ops, *after.ops);
  note_missing(diff, before);
  note_missing(diff, after);
  return diff;
}

std::string diff_text(const RunDiff& diff, const Terminal& terminal) {
  std::string out =
      terminal.bold(fmt::format("run {} to run {}", diff.before_id, diff.after_id)) + "\n";
  if (!diff.figures.empty()) out += figure_table(diff, terminal);
  if (diff.kernels) out += rows_text("Kernels", *diff.kernels, terminal);
  if (diff.operators) out += rows_text("Operators", *diff.operators, terminal);
  if (!diff.notes.empty()) out += "\n";
  for (const std::string& note : diff.notes) out += terminal.dim(printable(note)) + "\n";
  return out;
}

Json diff_json(const RunDiff& diff) {
  Json figures = Json::array();
  for (const DiffFigure& figure : diff.figures) {
    figures.push_back(
        {{"name", figure.name}, {"before_s", figure.before_s}, {"after_s", figure.after_s}});
  }
  return {{"version", 1},
          {"before", diff.before_id},
          {"after", diff.after_id},
          {"figures", std::move(figures)},
          {"kernels", rows_json(diff.kernels, true)},
          {"operators", rows_json(diff.operators, false)},
          {"notes", diff.notes}};
}

}  // namespace tacho
