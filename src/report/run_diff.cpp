#include "report/run_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/table.h"
#include "base/units.h"
#include "report/step_picture.h"

namespace tacho {
namespace {

struct Cost {
  double seconds = 0;
  double count = 0;
};
using Costs = std::map<std::string, Cost>;

double steps_of(const GpuFindings& gpu) {
  return gpu.steps.period_s > 0 ? gpu.span_s / gpu.steps.period_s : 0;
}

void add(Costs& costs, const TimeRow& row, double steps) {
  Cost& cost = costs[row.name];
  cost.seconds += row.total_s / steps;
  cost.count += static_cast<double>(row.count) / steps;
}

Costs kernels_of(const GpuFindings& gpu, bool by_step) {
  Costs costs;
  for (const KernelRow& row : gpu.tables.kernels) {
    if (!by_step) {
      add(costs, row.time, 1);
    } else if (row.count_a_step > 0) {  // else it ran before or after the steps alone
      costs[row.time.name] = {row.seconds_a_step, row.count_a_step};
    }
  }
  return costs;
}

Costs calls_of(const GpuFindings& gpu, bool by_step) {
  Costs costs;
  for (const TimeRow& row : gpu.tables.calls) add(costs, row, by_step ? steps_of(gpu) : 1);
  return costs;
}

// By name alone: another batch gives other shapes.
Costs operators_of(const std::optional<OpTrace>& ops) {
  Costs costs;
  if (!ops || ops->step_s.empty()) return costs;
  const auto steps = static_cast<double>(ops->step_s.size());
  for (const OpRow& row : ops->rows) {
    Cost& cost = costs[row.name];
    cost.seconds += row.self_s / steps;
    cost.count += static_cast<double>(row.calls) / steps;
  }
  return costs;
}

Change change_of(const DiffRow& row, double step_s) {
  if (row.before_count <= 0) return Change::appeared;
  if (row.after_count <= 0) return Change::gone;
  const double by = row.after_s - row.before_s;
  const bool little = std::abs(by) < 0.05 * row.before_s || std::abs(by) < 1e-3 * step_s;
  if (little) return Change::same;
  return by > 0 ? Change::slower : Change::faster;
}

void compare(RunDiff& diff, const char* kind, const Costs& before, const Costs& after,
             double step_s) {
  Costs names = before;
  names.insert(after.begin(), after.end());
  const auto find = [](const Costs& costs, const std::string& name) {
    const auto at = costs.find(name);
    return at == costs.end() ? Cost{} : at->second;
  };
  for (const auto& [name, unused] : names) {
    const Cost was = find(before, name);
    const Cost is = find(after, name);
    DiffRow row{kind, name, was.seconds, is.seconds, was.count, is.count, Change::same};
    row.change = change_of(row, step_s);
    diff.rows.push_back(std::move(row));
  }
}

void compare_steps(RunDiff& diff, const StepPicture& before, const StepPicture& after) {
  diff.figures.push_back({"step", before.seconds, after.seconds});
  std::vector<std::string_view> keys;
  const auto find = [](const StepPicture& step, std::string_view key) -> const StepPart* {
    for (const StepPart& part : step.parts) {
      if (part.key == key) return &part;
    }
    return nullptr;
  };
  for (const StepPicture* step : {&before, &after}) {
    for (const StepPart& part : step->parts) {
      if (std::find(keys.begin(), keys.end(), part.key) != keys.end()) continue;
      keys.push_back(part.key);
      const StepPart* was = find(before, part.key);
      const StepPart* is = find(after, part.key);
      diff.figures.push_back({std::string(part.title), was != nullptr ? was->seconds : 0,
                              is != nullptr ? is->seconds : 0});
    }
  }
}

void note_missing(RunDiff& diff, const RunFindings& run) {
  for (const AbsentPart& part : run.absent) {
    diff.notes.push_back(fmt::format("run {}: no {}: {}", run.id, part.part, part.why));
  }
}

std::string relative(double before, double after) {
  if (before <= 0) return after > 0 ? "new" : "-";
  if (after <= 0) return "gone";
  return fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

}  // namespace

RunDiff diff(const RunFindings& before, const RunFindings& after) {
  RunDiff diff{.before_id = before.id, .after_id = after.id};
  const auto was = step_picture_of(before);
  const auto is = step_picture_of(after);
  if (was && is) compare_steps(diff, *was, *is);
  const GpuFindings* first = before.gpu();
  const GpuFindings* second = after.gpu();
  diff.by_step =
      first != nullptr && second != nullptr && steps_of(*first) > 0 && steps_of(*second) > 0;
  const double step_s = was ? was->seconds : 0;
  if (first != nullptr && second != nullptr) {
    compare(diff, "kernel", kernels_of(*first, diff.by_step), kernels_of(*second, diff.by_step),
            step_s);
    compare(diff, "call", calls_of(*first, diff.by_step), calls_of(*second, diff.by_step), step_s);
  }
  if (before.ops && after.ops) {
    compare(diff, "operator", operators_of(before.ops), operators_of(after.ops), step_s);
  }
  std::stable_sort(diff.rows.begin(), diff.rows.end(), [](const DiffRow& a, const DiffRow& b) {
    return std::abs(a.after_s - a.before_s) > std::abs(b.after_s - b.before_s);
  });
  note_missing(diff, before);
  note_missing(diff, after);
  return diff;
}

std::string diff_text(const RunDiff& diff, const Terminal& terminal) {
  constexpr std::size_t kRows = 30;
  std::string out =
      terminal.bold(fmt::format("run {} to run {}", diff.before_id, diff.after_id)) + "\n";
  if (!diff.figures.empty()) {
    Table figures({{"", Align::left}, {"before"}, {"after"}, {"change"}});
    for (const DiffFigure& figure : diff.figures) {
      figures.add({figure.name, human(Seconds(figure.before)), human(Seconds(figure.after)),
                   relative(figure.before, figure.after)});
    }
    out += figures.text(terminal);
  }
  Table rows({{"change", Align::left},
              {"before"},
              {"after"},
              {"by"},
              {"count"},
              {"kind", Align::left},
              {"name", Align::left}});
  std::size_t shown = 0;
  std::size_t same = 0;
  for (const DiffRow& row : diff.rows) {
    if (row.change == Change::same) {
      ++same;
      continue;
    }
    if (++shown > kRows) continue;
    rows.add({std::string(kChanges.of(row.change)), human(Seconds(row.before_s)),
              human(Seconds(row.after_s)), relative(row.before_s, row.after_s),
              fmt::format("{:.4g} > {:.4g}", row.before_count, row.after_count), row.kind,
              shortened(printable(row.name), 60)});
  }
  if (!rows.empty()) {
    out += "\n" + terminal.bold(diff.by_step ? "A step" : "The whole run") + "\n" +
           rows.text(terminal);
  }
  if (shown > kRows) out += terminal.dim(fmt::format("{} more in --json", shown - kRows)) + "\n";
  if (same > 0) out += terminal.dim(fmt::format("{} as before", same)) + "\n";
  for (const std::string& note : diff.notes) out += terminal.dim(printable(note)) + "\n";
  return out;
}

Json diff_json(const RunDiff& diff) {
  Json figures = Json::array();
  for (const DiffFigure& figure : diff.figures) {
    figures.push_back(
        {{"name", figure.name}, {"before_s", figure.before}, {"after_s", figure.after}});
  }
  Json rows = Json::array();
  for (const DiffRow& row : diff.rows) {
    rows.push_back({{"change", kChanges.of(row.change)},
                    {"kind", row.kind},
                    {"name", row.name},
                    {"before_s", row.before_s},
                    {"after_s", row.after_s},
                    {"before_count", row.before_count},
                    {"after_count", row.after_count}});
  }
  return {{"version", 1},           {"before", diff.before_id},
          {"after", diff.after_id}, {"by_step", diff.by_step},
          {"figures", figures},     {"rows", rows},
          {"notes", diff.notes}};
}

}  // namespace tacho
