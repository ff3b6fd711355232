#include "experiments/runner/sweep_tables.h"

#include <algorithm>

#include "base/table.h"
#include "core/record/metric.h"
#include "core/record/run_secrets.h"

namespace tacho {
namespace {

std::string shown(const SweepLine& line, const Metric& metric) {
  const auto value = value_of(line, metric);
  return value ? human(metric, *value) : "-";
}

std::string state_of(const SweepLine& line) {
  if (line.task.state == SweepTaskState::done && line.run) {
    return std::string(kOutcomes.of(line.run->outcome));
  }
  return std::string(kSweepTaskStates.of(line.task.state));
}

std::vector<std::string> cells_of(const Configuration& configuration,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> cells;
  for (const std::string& name : names) {
    const std::string* value = configuration.find(name);
    cells.push_back(value == nullptr ? "-" : printable(*value));
  }
  return cells;
}

std::vector<const Metric*> columns(const Metric* sorted_by) {
  std::vector<const Metric*> all = {&metric::kTop1, &metric::kSamplesPerS, &metric::kStepS,
                                    &metric::kPeakMemory, &metric::kWallS};
  const bool there = sorted_by == nullptr || std::ranges::any_of(all, [&](const Metric* metric) {
                       return metric->key == sorted_by->key;
                     });
  if (!there) all.insert(all.begin(), sorted_by);
  return all;
}

}  // namespace

void sort_by(std::vector<SweepLine>& lines, const Metric& metric) {
  std::ranges::stable_sort(lines, [&](const SweepLine& a, const SweepLine& b) {
    const auto x = value_of(a, metric);
    const auto y = value_of(b, metric);
    if (!x || !y) return x.has_value() && !y.has_value();
    return metric.better == Better::lower ? *x < *y : *x > *y;
  });
}

std::string sweep_table(const std::vector<SweepLine>& lines, const Metric* sorted_by,
                        const Terminal& terminal) {
  std::vector<const Configuration*> configurations;
  for (const SweepLine& line : lines) configurations.push_back(&line.task.configuration);
  const auto names = options_that_differ(configurations);
  auto figures = columns(sorted_by);
  std::erase_if(figures, [&](const Metric* metric) {
    return std::ranges::none_of(
        lines, [&](const SweepLine& line) { return value_of(line, *metric).has_value(); });
  });
  std::vector<Table::Heading> headings = {{"#"}, {"run"}};
  for (const std::string& name : names) headings.push_back({name});
  for (const Metric* metric : figures) headings.push_back({std::string(metric->title)});
  headings.push_back({"state", Align::left});
  headings.push_back({"", Align::left});
  Table table(std::move(headings));
  for (const SweepLine& line : lines) {
    std::vector<std::string> row = {std::to_string(line.task.position),
                                    line.run ? std::to_string(line.run->id) : "-"};
    for (std::string& cell : cells_of(line.task.configuration, names)) {
      row.push_back(std::move(cell));
    }
    for (const Metric* metric : figures) row.push_back(shown(line, *metric));
    row.push_back(state_of(line));
    row.push_back(printable(line.task.state == SweepTaskState::done ? "" : line.task.reason));
    table.add(std::move(row));
  }
  return table.text(terminal);
}

std::string plan_table(const std::vector<PlannedRun>& runs, const Terminal& terminal) {
  std::vector<const Configuration*> configurations;
  for (const PlannedRun& run : runs) configurations.push_back(&run.configuration);
  const auto names = options_that_differ(configurations);
  const bool repeats =
      std::ranges::any_of(runs, [](const PlannedRun& run) { return run.repetition > 1; });
  std::vector<Table::Heading> headings = {{"#"}};
  for (const std::string& name : names) headings.push_back({name});
  if (repeats) headings.push_back({"repetition"});
  Table table(std::move(headings));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<std::string> row = {std::to_string(i + 1)};
    for (std::string& cell : cells_of(runs[i].configuration, names)) row.push_back(std::move(cell));
    if (repeats) row.push_back(std::to_string(runs[i].repetition));
    table.add(std::move(row));
  }
  return table.text(terminal);
}

Json plan_json(const std::vector<PlannedRun>& runs) {
  Json list = Json::array();
  for (const PlannedRun& run : runs) {
    Json json = {{"configuration", to_json(run.configuration)}, {"repetition", run.repetition}};
    add_what_was_asked(without_secrets(run.asked), json);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace tacho
