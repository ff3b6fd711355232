#include "experiments/compare/csv_view.h"

#include "base/csv.h"

namespace tacho {

std::string findings_csv(const Comparison& comparison) {
  std::string out = csv_line({"group", "variant", "base", "metric", "runs", "base_runs", "median",
                              "base_median", "ratio", "low", "high", "paired", "p", "p_corrected",
                              "mann_whitney_p", "superiority", "verdict", "more_runs", "words"});
  for (const Finding& finding : comparison.findings) {
    const Sample first = sample_of(comparison, finding.base, finding.metric);
    const Sample second = sample_of(comparison, finding.variant, finding.metric);
    const auto typical = [](const Sample& sample) {
      return sample.values.empty() ? "" : csv_number(median(sample.values));
    };
    const auto& ratio = finding.evidence.ratio;
    const bool interval = ratio && ratio->interval;
    out += csv_line(
        {comparison.variants[finding.variant].group, comparison.variants[finding.variant].name,
         comparison.variants[finding.base].name, finding.metric,
         std::to_string(second.values.size()), std::to_string(first.values.size()), typical(second),
         typical(first), ratio ? csv_number(ratio->value) : "",
         interval ? csv_number(ratio->interval->low) : "",
         interval ? csv_number(ratio->interval->high) : "",
         ratio && ratio->paired ? "true" : "false", csv_number(finding.evidence.p),
         csv_number(finding.decision.p_corrected), csv_number(finding.evidence.mann_whitney_p),
         csv_number(finding.evidence.superiority),
         std::string(kVerdicts.of(finding.decision.verdict)),
         std::to_string(finding.decision.more_runs), finding.words});
  }
  return out;
}

std::string values_csv(const Comparison& comparison) {
  std::string out = csv_line(
      {"group", "variant", "block", "order", "warm_up", "run", "metric", "value", "disturbed"});
  for (const ComparedRun& run : comparison.runs) {
    for (const auto& [metric, value] : run.values) {
      out += csv_line(
          {comparison.variants[run.variant].group, comparison.variants[run.variant].name,
           run.block ? std::to_string(*run.block) : "", std::to_string(run.order),
           run.warm_up ? "true" : "false", run.run, metric, csv_number(value), run.disturbed});
    }
  }
  return out;
}

}  // namespace tacho
