#include "report/step_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/units.h"
#include "record/rank_figures.h"
#include "record/statistics.h"

namespace tacho {
namespace {

// The parts were measured as means over the steps, and the step that is shown is their median: each
// part gets its share of the sum, in seconds of that step. What is too short for a line of its own
// counts with the longest part, so that the parts add up to the step.
std::vector<StepPart> shared_out(std::vector<StepPart> parts, double step_s) {
  constexpr double kWorthALine = 0.002;
  double sum = 0;
  for (const StepPart& part : parts) sum += std::max(0.0, part.seconds);
  for (StepPart& part : parts) part.share = sum > 0 ? std::max(0.0, part.seconds) / sum : 0;
  std::erase_if(parts, [](const StepPart& part) { return part.share < kWorthALine; });
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
  return shared_out({{"input_wait", "input wait", 'i', p.input_wait},
                     {"host_to_device", "copies to the GPU", 'c', p.host_to_device},
                     {"forward", p.phases_known ? "forward" : "computation", 'F', p.forward},
                     {"backward", "backward", 'B', p.backward},
                     {"optimizer", "optimizer", 'O', p.optimizer},
                     {"comm_exposed", "communication", 'x', p.comm_exposed},
                     {"launch_gaps", "launch gaps", 'l', p.launch_gaps},
                     {"sync_gaps", "after waiting calls", 's', p.sync_gaps},
                     {"other", "other", '.', p.other}},
                    gpu.steps.period_s);
}

// Its part of the steps that were watched. A busy machine may have made those longer than the rest,
// so their seconds say nothing of the others.
double phase_share(const OpTrace& ops, OpPhase phase) {
  double sum = 0;
  for (const OpRow& row : ops.rows) {
    if (row.phase == phase) sum += row.self_s;
  }
  const double watched = std::accumulate(ops.step_s.begin(), ops.step_s.end(), 0.0);
  return watched > 0 ? sum / watched : 0;
}

// Of a run on the CPU: what the worker's own clock and, where they were watched, the operators say.
// `step_s` is what is shown of a step, its median.
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
  return shared_out(std::move(parts), step_s);
}

StepPicture of_gpu(const RunFindings& run, const GpuFindings& gpu) {
  const FoundSteps& found = gpu.steps;
  StepPicture picture{.seconds = found.period_s, .p25_s = found.p25_s, .p75_s = found.p75_s};
  for (std::size_t i = 1; i < found.begins_ns.size(); ++i) {
    picture.series_s.push_back(1e-9 *
                               static_cast<double>(found.begins_ns[i] - found.begins_ns[i - 1]));
  }
  picture.source = fmt::format("found in the kernels of process {}, confidence {:.2f}", gpu.process,
                               found.confidence);
  picture.parts = gpu_parts(gpu);
  const bool batch_known = run.record.order.command || !run.record.steps.seconds.empty();
  if (batch_known && found.period_s > 0) {
    picture.samples_per_s = static_cast<double>(run.record.samples_a_step()) / found.period_s;
  }
  return picture;
}

}  // namespace

std::optional<StepPicture> step_picture_of(const RunFindings& run) {
  const GpuFindings* gpu = run.gpu();
  if (gpu != nullptr && gpu->steps.begins_ns.size() > 1) return of_gpu(run, *gpu);
  const auto steady = run.record.steps.steady_seconds();
  if (steady.empty()) return std::nullopt;
  StepPicture picture{.seconds = median(steady),
                      .p25_s = quantile(steady, 0.25),
                      .p75_s = quantile(steady, 0.75),
                      .series_s = run.record.steps.seconds,
                      .source = "recorded by the worker"};
  picture.samples_per_s = static_cast<double>(run.record.samples_a_step()) / picture.seconds;
  picture.parts = recorded_parts(run, picture.seconds);
  return picture;
}

}  // namespace tacho
