// A stored comparison and its plan.
#include <string>

#include "base/terminal.h"
#include "experiments/compare/csv_view.h"
#include "experiments/compare/html_view.h"
#include "experiments/compare/made_comparison.h"
#include "experiments/compare/text_view.h"
#include "experiments/runner/compare_plan.h"
#include "fuzz_loop.h"

namespace tacho {
namespace {

Comparison small_comparison() {
  Comparison comparison = made_comparison();
  std::erase_if(comparison.runs, [](const ComparedRun& run) { return run.block > 3; });
  judge(comparison);
  return comparison;
}

std::string sample_plan() {
  ComparePlan plan;
  plan.rule.max_time = Seconds(60);
  plan.metrics = {"wall_s"};
  PlannedVariant training;
  training.what = RunSpec{.model = "mlp", .data = "synthetic"};
  PlannedVariant program;
  program.what = CommandSpec{.argv = {"python3", "a.py"}};
  plan.variants = {training, program};
  return json_text(to_json(plan));
}

// An accepted comparison must be written and shown, whatever its content.
bool read(const std::string& text) {
  const auto json = parse_json(text);
  if (!json.ok()) return false;
  if (compare_plan_from_json(*json).ok()) return true;
  auto comparison = comparison_from_json(*json);
  if (!comparison.ok()) return false;
  const std::string written = json_text(to_json(*comparison));
  if (json_text(to_json(*comparison_from_json(*parse_json(written)))) != written) std::abort();
  const Terminal nowhere(-1);
  std::size_t shown = comparison_text(*comparison, nowhere).size();
  shown += comparison_html(*comparison).size() + findings_csv(*comparison).size();
  judge(*comparison);
  shown += comparison_text(*comparison, nowhere).size() + values_csv(*comparison).size();
  return shown > 0;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  return tacho::fuzz(
      argc, argv,
      {tacho::json_text(tacho::to_json(tacho::small_comparison())), tacho::sample_plan()},
      tacho::read, [](std::string&) {});
}
