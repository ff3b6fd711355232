#include "serving/dashboard/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/record/statistics.h"
#include "experiments/compare/comparison.h"
#include "experiments/compare/csv_view.h"
#include "experiments/compare/html_view.h"
#include "experiments/compare/summary.h"
#include "experiments/runner/recorded_runs.h"
#include "serving/dashboard/run_detail.h"
#include "serving/dashboard/series.h"

namespace tacho::serve {
namespace {

constexpr std::size_t kMostGroups = 12;
constexpr std::size_t kMaxRuns = 200;  // with curves
constexpr std::size_t kPoints = 400;

using Curves = std::vector<std::vector<double>>;

std::size_t longest_of(const Curves& curves) {
  std::size_t longest = 0;
  for (const auto& curve : curves) longest = std::max(longest, curve.size());
  return longest;
}

// Median and quartiles at each point of the curves that reach it. `width` values make a point.
Json band_json(const Curves& curves, std::size_t width) {
  const std::size_t longest = longest_of(curves);
  std::vector<double> at;
  std::vector<double> low;
  std::vector<double> middle;
  std::vector<double> high;
  std::vector<double> count;
  for (std::size_t begin = 0; begin < longest; begin += width) {
    // One mean per run and bucket, so that noise between steps does not look like a difference
    // between runs.
    std::vector<double> values;
    for (const auto& curve : curves) {
      if (begin >= curve.size()) continue;
      const auto part = std::span(curve).subspan(begin, std::min(width, curve.size() - begin));
      const double value = mean(part);
      if (std::isfinite(value)) values.push_back(value);
    }
    if (values.empty()) continue;
    at.push_back(static_cast<double>(begin) + static_cast<double>(width + 1) / 2);
    low.push_back(quantile(values, 0.25));
    middle.push_back(median(values));
    high.push_back(quantile(values, 0.75));
    count.push_back(static_cast<double>(values.size()));
  }
  return {{"at", numbers_json(at)},
          {"low", numbers_json(low)},
          {"median", numbers_json(middle)},
          {"high", numbers_json(high)},
          {"runs", numbers_json(count)}};
}

using CurveOf = std::function<std::vector<double>(const RunRecord&)>;

CurveOf by_epoch(double EpochDone::*figure) {
  return [figure](const RunRecord& record) {
    std::vector<double> values;
    for (const EpochDone& epoch : record.epochs) values.push_back(epoch.*figure);
    return values;
  };
}

// The bands of each group. All groups use the same steps, so that their curves can be overlaid.
Json curves_json(const std::vector<std::vector<RunRecord>>& groups) {
  const std::vector<std::pair<const char*, CurveOf>> kinds = {
      {"loss", [](const RunRecord& record) { return record.steps.loss; }},
      {"step_s", [](const RunRecord& record) { return record.steps.seconds; }},
      {"top1", by_epoch(&EpochDone::top1)},
      {"eval_loss", by_epoch(&EpochDone::eval_loss)},
      {"train_loss", by_epoch(&EpochDone::train_loss)}};
  Json json(groups.size(), Json::object());
  for (const auto& [name, curve_of] : kinds) {
    std::vector<Curves> curves(groups.size());
    std::size_t longest = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const RunRecord& record : groups[i]) {
        if (auto values = curve_of(record); !values.empty()) curves[i].push_back(std::move(values));
      }
      longest = std::max(longest, longest_of(curves[i]));
    }
    const std::size_t width = std::max<std::size_t>(1, (longest + kPoints - 1) / kPoints);
    for (std::size_t i = 0; i < groups.size(); ++i) json[i][name] = band_json(curves[i], width);
  }
  return json;
}

Json comparison_answer(const Comparison& comparison) {
  Json json = to_json(comparison);
  Json lines = Json::array();
  for (const std::string& line : summary_lines(comparison)) lines.push_back(line);
  json["summary"] = std::move(lines);
  Json good = Json::array();
  for (const Finding& finding : comparison.findings) {
    const auto is_it = is_good(comparison, finding);
    good.push_back(is_it ? Json(*is_it) : Json(nullptr));
  }
  json["good"] = std::move(good);  // per finding: true if the change is an improvement
  return json;
}

}  // namespace

Answer compare_runs(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(request, {"group", "metric", "resolution"}));
  const auto texts = request.parameters("group");
  if (texts.size() < 2 || texts.size() > kMostGroups) {
    return Error{ErrorCode::usage,
                 fmt::format("give the parameter group 2 to {} times, as '41,42' or 'batch=32'",
                             kMostGroups)};
  }
  TACHO_TRY(resolution, number_parameter(request, "resolution"));
  if (resolution && !(*resolution > 0 && *resolution < 1)) {
    return Error{ErrorCode::usage, "the parameter resolution must be between 0 and 1"};
  }
  TACHO_TRY(groups, parse_recorded_groups(texts));
  TACHO_TRY(comparison, compare_recorded(store, groups, request.parameters("metric"),
                                         resolution.value_or(0.01)));
  Json json = comparison_answer(comparison);
  std::vector<std::vector<RunRecord>> records(comparison.variants.size());
  std::size_t read = 0;
  for (const ComparedRun& run : comparison.runs) {
    if (read++ == kMaxRuns) break;
    TACHO_TRY(found, find_run(store, run.run));
    records[run.variant].push_back(std::move(found.record));
  }
  json["curves"] = curves_json(records);
  return json_answer(json);
}

Answer list_comparisons(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(request, {}));
  TACHO_TRY(rows, store.comparisons().list());
  Json list = Json::array();
  for (const ComparisonRow& row : rows) {
    list.push_back(
        {{"id", row.id}, {"key", row.key}, {"title", row.title}, {"started", row.started}});
  }
  return json_answer({{"comparisons", std::move(list)}});
}

Answer one_comparison(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(request, {"format"}));
  TACHO_TRY(format, word_parameter(request, "format", {"json", "html", "csv"}));
  TACHO_TRY(stored, store.comparisons().find(request.part("comparison")));
  TACHO_TRY(comparison, comparison_from_json(stored.comparison));
  const std::string name = fmt::format("comparison-{}.{}", stored.row.id, format);
  if (format == "html") {
    return file_answer(comparison_html(comparison), "text/html; charset=utf-8", name);
  }
  if (format == "csv") {
    return file_answer(findings_csv(comparison), "text/csv; charset=utf-8", name);
  }
  Json json = comparison_answer(comparison);
  json["id"] = stored.row.id;
  return json_answer(json);
}

}  // namespace tacho::serve
