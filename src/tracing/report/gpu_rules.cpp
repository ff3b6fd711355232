#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "tracing/report/advice_rules.h"
#include "tracing/report/kernel_gains.h"
#include "tracing/report/words.h"

namespace tacho {
namespace {

using Found = std::optional<Advice>;

std::string ms(double seconds) { return human(Seconds(seconds)); }

// More loader processes remove the wait as long as cores are free for them: the CPU work of a step,
// spread over the allowed cores, is the bound. The wait that vanishes if the host never blocks on
// the GPU is not caused by the loader.
Found starved_input(const Situation& s) {
  const double wait = std::max(0.0, s.gpu->parts.input_wait / s.step_s - s.overlap_saving);
  const bool cores_known = s.cores_allowed > 0;
  const double spare = cores_known ? std::max(0.0, 1 - s.cores_used / s.cores_allowed) : 1.0;
  Advice advice{.key = "input", .title = "The GPU waits for input"};
  advice.action = spare < wait
                      ? "give the run more cores, or make samples cheaper to load (smaller or "
                        "decoded images); then use more loader workers"
                      : "load data in parallel: DataLoader(num_workers=…, pin_memory=True, "
                        "persistent_workers=True), or tacho train --workers";
  advice.evidence =
      fmt::format("the GPU is idle for {} of each step ({}) while the host makes no CUDA call",
                  ms(s.gpu->parts.input_wait), percent(s.gpu->parts.input_wait / s.step_s));
  if (cores_known) {
    advice.evidence +=
        fmt::format("; {:.1f} of {:.0f} cores in use", s.cores_used, s.cores_allowed);
  }
  advice.saving = std::min(wait, spare);
  // The upper bound assumes half as many cores more, or cheaper samples.
  advice.range = {advice.saving / 2, std::min(wait, 1.5 * advice.saving)};
  return advice;
}

// With this many blocks per multiprocessor, more blocks take longer.
constexpr double kFullBlocks = 4;
constexpr double kManyTimes = 8;

// A kernel with few blocks leaves most of the GPU idle: a larger batch first fills the GPU, then
// takes longer. The number of launches stays the same.
double busy_at(const Situation& s, double times) {
  const double fill = std::min(1.0, s.gpu->signs.mean_occupied_blocks / kFullBlocks);
  return s.busy_s * std::max(1.0, times * fill);
}

// Time per sample with a batch `times` as large, relative to the time per sample now.
double time_of_sample(const Situation& s, double times) {
  const StepParts& p = s.gpu->parts;
  const double grows = p.input_wait + p.host_to_device;
  const double step = std::max(s.step_s - grows, busy_at(s, times)) + times * grows;
  return step / (times * s.step_s);
}

double times_that_fit(const Situation& s) {
  double times = kManyTimes;
  while (times > 1 && s.gpu_memory_share * times > 0.9) times /= 2;
  return times;
}

Found small_batch(const Situation& s) {
  const StepSigns& signs = s.gpu->signs;
  const double launch_share = s.gpu->parts.launch_gaps / s.step_s;
  const bool underfilled = signs.mean_occupied_blocks > 0 && signs.mean_occupied_blocks < 2;
  const bool short_kernels = signs.median_kernel_s < 10e-6;
  const double times = times_that_fit(s);
  if (!underfilled || !(short_kernels || launch_share > 0.15) || times < 2) return std::nullopt;
  Advice advice{.key = "batch",
                .title = "The batch is too small for this GPU",
                .action = fmt::format("increase the batch size {:.0f} times and adjust the "
                                      "learning rate; the saving is in time per sample",
                                      times)};
  advice.evidence = fmt::format(
      "median kernel {}, {:.2g} blocks per multiprocessor, GPU busy for {} of a step",
      ms(signs.median_kernel_s), signs.mean_occupied_blocks, percent(s.busy_s / s.step_s));
  advice.saving = 1 - time_of_sample(s, times);
  advice.range = {1 - time_of_sample(s, 2), 1 - 1 / times};
  return advice;
}

Found launch_bound(const Situation& s) {
  const double gaps = s.gpu->parts.launch_gaps / s.step_s;
  if (s.gpu->signs.uses_graphs && gaps < 0.1) return std::nullopt;
  Advice advice{.key = "graphs",
                .title = "The host launches kernels more slowly than the GPU executes them",
                .action =
                    "launch a whole step at once: torch.compile(mode=\"reduce-overhead\"), "
                    "a CUDA graph, or a fused optimizer (fused=True)"};
  advice.evidence =
      fmt::format("{} launches per step, median kernel {}; GPU idle between launches {} of a step",
                  human_count(std::round(s.gpu->signs.launches_per_step)),
                  ms(s.gpu->signs.median_kernel_s), percent(gaps));
  advice.saving = 0.9 * gaps;
  advice.range = {0.5 * gaps, gaps};
  return advice;
}

Found blocking_calls(const Situation& s) {
  const StepSigns& signs = s.gpu->signs;
  const StepParts& p = s.gpu->parts;
  const double idle = 1 - s.busy_s / s.step_s;
  const double most = (p.sync_gaps + p.launch_gaps + p.input_wait) / s.step_s;
  Advice advice{.key = "sync",
                .title = "The host waits for the GPU in every step, then the GPU for the host",
                .action =
                    "remove .item(), .cpu() and print(loss) from the loop: accumulate figures on "
                    "the GPU and read them every 50 steps; copy with non_blocking=True"};
  advice.evidence = fmt::format(
      "{:.1f} blocking calls per step take {}; the GPU is busy for {} of a step, the host for {}",
      signs.syncs_per_step, ms(signs.sync_wait_s), ms(s.busy_s), ms(s.host_s));
  // The step also has fewer copies to the host and fewer wake-ups: in measured loops, a quarter of
  // the remaining idle time.
  const double more = std::clamp((most - s.overlap_saving) / 4, 0.0, s.overlap_saving / 2);
  advice.saving = std::min(s.overlap_saving + more, most);
  advice.range = {advice.saving / 2, std::min(idle, most)};
  return advice;
}

// Share of a step that `kernel_seconds` less kernel time saves. The host's work is a floor: where
// the GPU waits for launches, faster kernels only make it wait longer.
double step_share(const Situation& s, double kernel_seconds) {
  // Upper limit for a launch with its Python code; time beyond it is the tracer's overhead.
  constexpr double kLaunchSeconds = 25e-6;
  const double floor =
      std::min(s.gpu->signs.host_work_s, kLaunchSeconds * s.gpu->signs.launches_per_step);
  const double after = std::max(s.step_s - kernel_seconds, floor);
  return std::max(0.0, 1 - after / s.step_s);
}

void set_saving(Advice& advice, const Situation& s, const KernelGain& gain) {
  advice.saving = step_share(s, gain.seconds);
  advice.range = {step_share(s, gain.range.low), step_share(s, gain.range.high)};
}

Found precision(const Situation& s) {
  const double plain = plain_product_share(*s.gpu);
  if (!s.has_tensor_cores || plain < 0.1) return std::nullopt;
  Advice advice{
      .key = "precision",
      .title = "Convolutions and matrix products run without tensor cores",
      .action = s.has_tf32
                    ? "use torch.autocast(\"cuda\", dtype=torch.bfloat16), or --precision bf16; "
                      "at least torch.set_float32_matmul_precision(\"high\") for TF32"
                    : "use torch.autocast(\"cuda\", dtype=torch.float16) and a GradScaler, or "
                      "--precision fp16"};
  advice.evidence = fmt::format(
      "{} of kernel time is convolutions and matrix products without tensor cores; {} of such "
      "work uses them",
      percent(plain), percent(s.gpu->signs.tensor_core_share));
  set_saving(advice, s, sixteen_bit_gain(*s.gpu, find_ceilings(s.gpu->gpu)));
  return advice;
}

Found layout(const Situation& s) {
  const double conversions = s.gpu->signs.layout_change_s;
  if (conversions / s.step_s < 0.01 || !converts_from_nchw(*s.gpu)) return std::nullopt;
  Advice advice{.key = "layout",
                .title = "Convolutions convert NCHW tensors to NHWC for the tensor cores",
                .action =
                    "use model.to(memory_format=torch.channels_last), and the same for the "
                    "images; or --channels-last on"};
  advice.evidence = fmt::format("{} of each step ({}) in kernels that change the layout",
                                ms(conversions), percent(conversions / s.step_s));
  set_saving(advice, s, channels_last_gain(*s.gpu));
  return advice;
}

Found exposed_communication(const Situation& s) {
  const StepParts& p = s.gpu->parts;
  const double exposed = p.comm_exposed / s.step_s;
  const double all = p.comm_exposed + p.comm_hidden;
  Advice advice{.key = "comm",
                .title = "The GPU waits for gradients from other ranks",
                .action =
                    "overlap it with the backward pass: smaller buckets (bucket_cap_mb), "
                    "gradient_as_bucket_view; send less: bf16 compression, gradient accumulation"};
  advice.evidence = fmt::format("{} of communication per step, {} of it not hidden", ms(all),
                                percent(p.comm_exposed / std::max(all, 1e-12)));
  advice.saving = 0.7 * exposed;
  advice.range = {0.3 * exposed, exposed};
  return advice;
}

Found pageable_copies(const Situation& s) {
  const double copying = std::min(s.gpu->parts.host_to_device, s.gpu->signs.pageable_copy_s);
  const double share = copying / s.step_s;
  Advice advice{.key = "pinned",
                .title = "Input is copied from pageable memory while no kernel runs",
                .action = "use DataLoader(pin_memory=True) and .to(device, non_blocking=True)"};
  advice.evidence = fmt::format("{} of each step ({})", ms(copying), percent(share));
  advice.saving = 0.8 * share;
  advice.range = {0.4 * share, share};
  return advice;
}

// The optimizer and the gradient exchange cost the same for any batch size.
Found memory_headroom(const Situation& s) {
  const double times = times_that_fit(s);
  if (s.gpu_memory_share <= 0 || times < 2) return std::nullopt;
  const double once = (s.gpu->parts.optimizer + s.gpu->parts.comm_exposed) / s.step_s;
  Advice advice{.key = "headroom",
                .title = "Most of the GPU's memory is free",
                .action = fmt::format("increase the batch size {:.0f} times, so that the optimizer "
                                      "and the gradient exchange run less often",
                                      times)};
  advice.evidence =
      fmt::format("peak {} of its memory; optimizer and gradient exchange take {} of a step",
                  percent(s.gpu_memory_share), percent(once));
  advice.saving = once * (1 - 1 / times);
  advice.range = {once * 0.25, once};
  return advice;
}

constexpr std::array<AdviceRule, 9> kGpuRules = {
    starved_input, small_batch,           launch_bound,    blocking_calls,  precision,
    layout,        exposed_communication, pageable_copies, memory_headroom,
};

}  // namespace

std::span<const AdviceRule> gpu_rules() { return kGpuRules; }

}  // namespace tacho
