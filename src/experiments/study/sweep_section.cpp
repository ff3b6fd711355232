#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parse_number.h"
#include "core/record/statistics.h"
#include "experiments/study/sections.h"

namespace tacho {
namespace {

std::optional<double> metric_of(const SweptRun& run, std::string_view key) {
  if (!run.run) return std::nullopt;
  const auto* at = std::ranges::find(metric::kAll, key, &Metric::key);
  return run.run->metrics.at(static_cast<std::size_t>(at - metric::kAll.begin()));
}

std::optional<double> number_in(const std::string* text) {
  return text == nullptr ? std::nullopt : parse_number<double>(*text);
}

// The repetitions of a configuration: one row.
struct SweptConfiguration {
  const Configuration* configuration;
  std::vector<const SweptRun*> runs;
};

std::vector<SweptConfiguration> swept_configurations(const std::vector<SweptRun>& runs) {
  std::vector<SweptConfiguration> all;
  for (const SweptRun& run : runs) {
    const auto same = std::ranges::find_if(all, [&](const SweptConfiguration& one) {
      return *one.configuration == run.task.configuration;
    });
    if (same == all.end()) {
      all.push_back({&run.task.configuration, {&run}});
    } else {
      same->runs.push_back(&run);
    }
  }
  return all;
}

std::string outcomes_of(const SweptConfiguration& one) {
  std::map<std::string, int> outcomes;
  for (const SweptRun* run : one.runs) {
    ++outcomes[run->run ? std::string(kOutcomes.of(run->run->outcome))
                        : std::string(kSweepTaskStates.of(run->task.state))];
  }
  std::string text;
  for (const auto& [outcome, count] : outcomes) {
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ",
                        count > 1 ? fmt::format("{} ", count) : "", outcome);
  }
  return text;
}

std::vector<double> values_of(const SweptConfiguration& one, std::string_view key) {
  std::vector<double> values;
  for (const SweptRun* run : one.runs) {
    if (const auto value = metric_of(*run, key)) values.push_back(*value);
  }
  return values;
}

DocumentTable table_of(const std::vector<SweptConfiguration>& all,
                       const std::vector<std::string>& options,
                       const std::vector<std::string>& show) {
  DocumentTable table;
  for (const std::string& option : options) table.headings.push_back({option, Align::left});
  table.headings.push_back({"outcome", Align::left});
  for (const std::string& key : show) {
    table.headings.push_back({std::string((*find_metric(key))->title)});
  }
  for (const SweptConfiguration& one : all) {
    std::vector<std::string> row;
    for (const std::string& option : options) {
      const std::string* value = one.configuration->find(option);
      row.push_back(value == nullptr ? "" : *value);
    }
    row.push_back(outcomes_of(one));
    for (const std::string& key : show) {
      const auto values = values_of(one, key);
      row.push_back(values.empty() ? "–" : human(**find_metric(key), median(values)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Plots the median of all runs that share both options.
Chart lines_chart_of(const std::vector<SweptRun>& runs, const SweepPicture& picture) {
  const Metric& metric = **find_metric(picture.y);
  std::map<std::string, std::map<double, std::vector<double>>> lines;
  std::vector<std::string> order;
  for (const SweptRun& run : runs) {
    const auto x = number_in(run.task.configuration.find(picture.x));
    const auto y = metric_of(run, picture.y);
    if (!x || !y) continue;
    const std::string* line = run.task.configuration.find(picture.lines);
    const std::string name = line == nullptr ? std::string(metric.title) : *line;
    if (!lines.contains(name)) order.push_back(name);
    lines[name][*x].push_back(*y);
  }
  std::ranges::sort(order);
  LinesChart chart{.title = fmt::format("{} over {}: {}", metric.title, picture.x, metric.help),
                   .x_title = picture.x,
                   .unit = metric.unit,
                   .lines = {}};
  for (const std::string& name : order) {
    LinesChart::Line line{.name = name, .points = {}};
    for (const auto& [x, values] : lines[name]) line.points.push_back({x, median(values)});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

}  // namespace

std::vector<Block> sweep_blocks(const std::vector<SweptRun>& runs,
                                const std::vector<std::string>& show,
                                const std::optional<SweepPicture>& picture) {
  std::vector<Block> blocks;
  const auto all = swept_configurations(runs);
  std::vector<const Configuration*> configurations;
  for (const SweptConfiguration& one : all) configurations.push_back(one.configuration);
  const std::vector<std::string> usual = {"samples_per_s", "step_s", "top1", "wall_s"};
  if (picture) blocks.emplace_back(lines_chart_of(runs, *picture));
  blocks.emplace_back(
      Paragraph{fmt::format("{} configuration{}, {} runs; medians of repeated runs.", all.size(),
                            all.size() == 1 ? "" : "s", runs.size()),
                true});
  // A single configuration has no options that differ; the commands at the end show it.
  const auto options =
      all.size() > 1 ? options_that_differ(configurations) : std::vector<std::string>();
  blocks.emplace_back(table_of(all, options, show.empty() ? usual : show));
  return blocks;
}

}  // namespace tacho
