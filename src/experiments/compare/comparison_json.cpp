#include "experiments/compare/comparison.h"
#include "experiments/compare/comparison_form.h"

namespace tacho {
namespace {

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json ratio_json(const std::optional<Ratio>& ratio) {
  if (!ratio) return {};
  Json json = {{"value", ratio->value},
               {"paired", ratio->paired},
               {"first_count", ratio->first_count},
               {"second_count", ratio->second_count}};
  if (ratio->interval) {
    json["low"] = ratio->interval->low;
    json["high"] = ratio->interval->high;
  }
  return json;
}

Json finding_json(const Finding& finding) {
  return {{"variant", finding.variant},
          {"base", finding.base},
          {"metric", finding.metric},
          {"ratio", ratio_json(finding.evidence.ratio)},
          {"p", finding.evidence.p},
          {"p_corrected", finding.decision.p_corrected},
          {"mann_whitney_p", finding.evidence.mann_whitney_p},
          {"superiority", finding.evidence.superiority},
          {"verdict", kVerdicts.of(finding.decision.verdict)},
          {"more_runs", finding.decision.more_runs},
          {"words", finding.words}};
}

Json run_json(const ComparedRun& run) {
  Json values = Json::object();
  for (const auto& [key, value] : run.values) values[key] = value;
  Json json = {{"variant", run.variant}, {"block", run.block ? Json(*run.block) : Json()},
               {"order", run.order},     {"warm_up", run.warm_up},
               {"run", run.run},         {"values", std::move(values)}};
  if (!run.disturbed.empty()) json["disturbed"] = run.disturbed;
  return json;
}

template <class Items, class Write>
Json list(const Items& items, const Write& write) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(write(item));
  return json;
}

}  // namespace

Json to_json(const Comparison& comparison) {
  return {
      {"form", kFormatVersion},
      {"title", comparison.title},
      {"command", comparison.command},
      {"started", comparison.started},
      {"seed", comparison.seed},
      {"resolution", comparison.rule.resolution},
      {"level", comparison.rule.level},
      {"stopped", kStopReasons.of(comparison.stopped)},
      {"noise", optional_number(comparison.noise)},
      {"spread", optional_number(comparison.spread)},
      {"variants", list(comparison.variants,
                        [](const Variant& variant) {
                          return Json{{"name", variant.name},
                                      {"group", variant.group},
                                      {"description", variant.description}};
                        })},
      {"metrics", list(comparison.metrics,
                       [](const ComparedMetric& metric) {
                         return Json{{"key", metric.key},
                                     {"title", metric.title},
                                     {"unit", kUnits.of(metric.unit)},
                                     {"better", kBetter.of(metric.better)},
                                     {"help", metric.help}};
                       })},
      {"runs", list(comparison.runs, run_json)},
      {"findings", list(comparison.findings, finding_json)},
      {"notes", list(comparison.notes, [](const std::string& note) { return Json(note); })},
      {"tables", list(comparison.tables,
                      [](const SideTable& table) {
                        return Json{{"title", table.title},
                                    {"headings", table.headings},
                                    {"rows", table.rows}};
                      })},
  };
}

}  // namespace tacho
