#include "predict/speed/cost_model.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// Share of the peak that a fully used GPU reaches.
constexpr double kFp32Share = 0.93;
constexpr double kTf32Share = 1.0;
constexpr double kTensorShare = 0.76;
// Work (GMAC per TFLOP/s of peak) at which half of that share is reached.
constexpr double kHalfFull = 2.99;
// Number of times that an activation is moved in a step: each operation on it reads and writes it
// forward and backward, and libraries copy it.
constexpr double kImagePasses = 34.3;
constexpr double kTextPasses = 18.3;
constexpr double kOptimizerBytes = 107;  // per parameter
constexpr double kLaunchSeconds = 0.0195;
constexpr double kOverlap = 1.05;       // of compute and memory; 1: none, infinity: complete
constexpr double kGradientHops = 5e-5;  // seconds per doubling of the ring
// Loss of the GPUs of a node by a shared host and by waiting for each other, per doubling.
constexpr double kDrag = 0.05;

double power_sum(double a, double b, double p) {
  return std::pow(std::pow(a, p) + std::pow(b, p), 1 / p);
}

double pcie_bytes_per_s(double generation) {
  return generation >= 5 ? 20e9 : generation >= 4 ? 10e9 : 6e9;
}

// Returns the bandwidth of a gradient ring between two GPUs of a node.
double line_bytes_per_s(const GpuSpec& gpu) {
  switch (gpu.peers) {
    case Peers::nvlink:
      return 0.15e9 * gpu.nvlink_gb_per_s;
    case Peers::pcie:
      return pcie_bytes_per_s(gpu.pcie_generation);
    case Peers::host:
      return 0.5 * pcie_bytes_per_s(gpu.pcie_generation);  // in and out
  }
  broken_invariant("GPU connection without a rate");
}

// Returns the network bandwidth of a usual machine with such a GPU.
double network_bytes_per_s(const GpuSpec& gpu) {
  return gpu.nvlink_gb_per_s >= 600 ? 40e9 : gpu.nvlink_gb_per_s >= 200 ? 10e9 : 3e9;
}

double gpus_of_a_node(const StepWork& work) {
  return std::max(work.num_gpus / work.num_nodes, 1.0);
}

double exchange_seconds(const StepWork& work, const GpuSpec& gpu) {
  if (work.num_gpus <= 1) return 0;
  const bool full = work.format == NumberFormat::fp32 || work.format == NumberFormat::tf32;
  const double bytes = work.cost.params_m * 1e6 * (full ? 4 : 3);
  const double within = gpus_of_a_node(work);
  const double inside = 2 * (within - 1) / within * bytes / line_bytes_per_s(gpu);
  const double between =
      2 * (work.num_nodes - 1) / work.num_nodes * bytes / network_bytes_per_s(gpu);
  return inside + between + kGradientHops * std::log2(work.num_gpus);
}

}  // namespace

NumberFormat number_format(std::string_view precision) {
  if (precision == "tf32") return NumberFormat::tf32;
  if (precision == "amp" || precision == "bf16") return NumberFormat::half;
  if (precision == "fp16") return NumberFormat::pure_half;
  if (precision.starts_with("fp8")) return NumberFormat::fp8;
  return NumberFormat::fp32;
}

double peak_tflops(const GpuSpec& gpu, NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return gpu.fp32_tflops;
    case NumberFormat::tf32:
      return gpu.tf32_tflops;
    case NumberFormat::fp8:
      return 1.5 * gpu.half_tflops;
    case NumberFormat::half:
    case NumberFormat::pure_half:
      break;
  }
  return gpu.half_tflops;
}

StepTime model_step(const StepWork& work, const GpuSpec& gpu) {
  const bool full = work.format == NumberFormat::fp32 || work.format == NumberFormat::tf32;
  const double peak = peak_tflops(gpu, work.format);
  const double share = work.format == NumberFormat::fp32   ? kFp32Share
                       : work.format == NumberFormat::tf32 ? kTf32Share
                                                           : kTensorShare;
  const double bandwidth = gpu.memory_gb_per_s * 1e9;
  const double gmacs = work.cost.gmacs * work.batch;
  StepTime time;
  // Forward, and twice that backward, with two operations each; the second term is the loss of a
  // GPU that is not fully used.
  time.compute = 6e9 * (gmacs + kHalfFull * peak) / (peak * 1e12 * share);
  time.memory = work.cost.macts_m * 1e6 * work.batch * (full ? 4 : 2) *
                (work.transformer ? kTextPasses : kImagePasses) / bandwidth;
  time.optimizer = work.cost.params_m * 1e6 * kOptimizerBytes / bandwidth;
  time.launch = kLaunchSeconds;
  time.exchange = exchange_seconds(work, gpu);
  const double busy = power_sum(time.compute, time.memory, kOverlap) + time.optimizer;
  time.on_one_gpu = power_sum(busy, time.launch, 3);
  time.step = with_exchange(time.on_one_gpu, work, gpu);
  return time;
}

double with_exchange(double on_one_gpu, const StepWork& work, const GpuSpec& gpu) {
  const double exchange = exchange_seconds(work, gpu);
  return (power_sum(on_one_gpu, 0.7 * exchange, 2) + 0.1 * exchange) *
         (1 + kDrag * std::log2(gpus_of_a_node(work)));
}

StepShares shares_of(const StepTime& time) {
  const double parts = time.compute + time.memory + time.optimizer;
  const double busy = power_sum(time.compute, time.memory, kOverlap) + time.optimizer;
  const double one = time.on_one_gpu / time.step;
  const double launch = std::pow(time.launch, 3) / (std::pow(busy, 3) + std::pow(time.launch, 3));
  const double device = one * (1 - launch) / parts;
  return {.arithmetic = device * time.compute,
          .memory = device * time.memory,
          .optimizer = device * time.optimizer,
          .launch = one * launch,
          .exchange = 1 - one};
}

double model_memory_gb(const StepWork& work) {
  const bool full = work.format == NumberFormat::fp32 || work.format == NumberFormat::tf32;
  constexpr double kContextGb = 0.9;  // CUDA context and library workspaces
  // Weights, gradients and two moments in fp32; half precision keeps a copy of the weights.
  const double state = work.cost.params_m * 1e-3 * (full ? 16 : 18);
  const double kept = work.cost.macts_m * 1e-3 * work.batch * (full ? 4 : 2) * 2;
  return kContextGb + state + kept;
}

}  // namespace tacho
