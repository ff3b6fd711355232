#include "tracing/report/step_breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/units.h"
#include "core/record/rank_figures.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

// Scales the parts, which are means over the steps, to the median step that is shown. Parts too
// short to be listed are added to the longest part, so that the parts add up to the step.
std::vector<StepPart> scaled_to(std::vector<StepPart> parts, double step_s) {
  constexpr double kLeastShare = 0.002;
  double sum = 0;
  for (const StepPart& part : parts) sum += std::max(0.0, part.seconds);
  for (StepPart& part : parts) part.share = sum > 0 ? std::max(0.0, part.seconds) / sum : 0;
  std::erase_if(parts, [](const StepPart& part) { return part.share < kLeastShare; });
  double shown = 0;
  for (const StepPart& part : parts) shown += part.share;
  if (const auto longest = std::ranges::max_element(parts, {}, &StepPart::share);
      longest != parts.end()) {
    longest->share += 1 - shown;
  }
  for (StepPart& part : parts) part.seconds = part.share * step_s;
  return parts;
}

std::vector<StepPart> gpu_parts(const GpuFindings& gpu) {
  const StepParts& p = gpu.parts;
  return scaled_to({{"input_wait", "input wait", 'i', p.input_wait},
                    {"host_to_device", "copies to the GPU", 'c', p.host_to_device},
                    {"forward", p.phases_known ? "forward" : "computation", 'F', p.forward},
                    {"backward", "backward", 'B', p.backward},
                    {"optimizer", "optimizer", 'O', p.optimizer},
                    {"comm_exposed", "communication", 'x', p.comm_exposed},
                    {"launch_gaps", "launch gaps", 'l', p.launch_gaps},
                    {"sync_gaps", "after blocking calls", 's', p.sync_gaps},
                    {"other", "other", '.', p.other}},
                   gpu.steps.period_s);
}

// Share of the recorded steps. Not seconds: on a busy machine, the steps with recorded operators
// may take longer than the others.
double phase_share(const OpTrace& ops, OpPhase phase) {
  double sum = 0;
  for (const OpRow& row : ops.rows) {
    if (row.phase == phase) sum += row.self_s;
  }
  const double recorded = std::accumulate(ops.step_s.begin(), ops.step_s.end(), 0.0);
  return recorded > 0 ? sum / recorded : 0;
}

// Parts of a step on the CPU, from the worker's times and, if recorded, the operators. `step_s` is
// the median step.
std::vector<StepPart> recorded_parts(const RunFindings& run, double step_s) {
  const RunRecord& record = run.record;
  const double mean_s = mean(record.steps.steady_seconds());
  const double input = mean(record.steps.steady_input_seconds());
  const auto comm = comm_figures_of(record);
  const double exposed = comm ? comm->seconds * (1 - comm->hidden_share) : 0;
  std::vector<StepPart> parts = {{"input_wait", "input wait", 'i', input}};
  if (run.ops && !run.ops->step_s.empty()) {
    const auto seconds = [&](OpPhase phase) { return mean_s * phase_share(*run.ops, phase); };
    parts.push_back({"forward", "forward", 'F', seconds(OpPhase::forward)});
    parts.push_back({"backward", "backward", 'B', seconds(OpPhase::backward)});
    parts.push_back({"optimizer", "optimizer", 'O', seconds(OpPhase::optimizer)});
  }
  parts.push_back({"comm_exposed", "communication", 'x', exposed});
  const double known = std::accumulate(
      parts.begin(), parts.end(), 0.0,
      [](double sum, const StepPart& part) { return sum + std::max(0.0, part.seconds); });
  parts.push_back(run.ops ? StepPart{"other", "outside operators", '.', mean_s - known}
                          : StepPart{"compute", "computation", 'C', mean_s - known});
  return scaled_to(std::move(parts), step_s);
}

StepBreakdown of_gpu(const RunFindings& run, const GpuFindings& gpu) {
  const FoundSteps& found = gpu.steps;
  StepBreakdown breakdown{.seconds = found.period_s, .p25_s = found.p25_s, .p75_s = found.p75_s};
  for (std::size_t i = 1; i < found.begins_ns.size(); ++i) {
    breakdown.series_s.push_back(1e-9 *
                                 static_cast<double>(found.begins_ns[i] - found.begins_ns[i - 1]));
  }
  breakdown.count = breakdown.series_s.size();
  breakdown.source = fmt::format("found in the kernels of process {}, confidence {:.2f}",
                                 gpu.process, found.confidence);
  breakdown.parts = gpu_parts(gpu);
  const bool batch_known = run.record.order.command || !run.record.steps.seconds.empty();
  if (batch_known && found.period_s > 0) {
    breakdown.samples_per_s = static_cast<double>(run.record.samples_per_step()) / found.period_s;
  }
  return breakdown;
}

StepBreakdown of_program(const RunRecord& record) {
  const StepsFound& found = *record.found_steps;
  StepBreakdown breakdown{
      .seconds = found.period_s,
      .p25_s = found.p25_s,
      .p75_s = found.p75_s,
      .count = static_cast<std::size_t>(found.steps),
      .source = found.printed ? "printed by the program" : "marked by the program"};
  breakdown.samples_per_s = static_cast<double>(record.samples_per_step()) / found.period_s;
  return breakdown;
}

}  // namespace

std::optional<StepBreakdown> step_breakdown_of(const RunFindings& run) {
  const GpuFindings* gpu = run.gpu();
  if (gpu != nullptr && gpu->steps.begins_ns.size() > 1) return of_gpu(run, *gpu);
  const auto steady = run.record.steps.steady_seconds();
  if (steady.empty()) {
    const auto& found = run.record.found_steps;
    if (!found || found->period_s <= 0) return std::nullopt;
    return of_program(run.record);
  }
  StepBreakdown breakdown{.seconds = median(steady),
                          .p25_s = quantile(steady, 0.25),
                          .p75_s = quantile(steady, 0.75),
                          .count = run.record.steps.seconds.size(),
                          .series_s = run.record.steps.seconds,
                          .source = "recorded by the worker"};
  breakdown.samples_per_s = static_cast<double>(run.record.samples_per_step()) / breakdown.seconds;
  breakdown.parts = recorded_parts(run, breakdown.seconds);
  return breakdown;
}

}  // namespace tacho
