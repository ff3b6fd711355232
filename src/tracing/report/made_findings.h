#pragma once

#include <cstdint>

#include "tracing/report/advice.h"
#include "tracing/report/run_findings.h"

namespace tacho {

// Findings for tests: a ResNet-like process on an H200 with a step of 20 ms that computes all the
// time, in bf16 and NHWC. A test makes one thing worse.
inline GpuProcess made_process() {
  GpuProcess process;
  GpuFindings& gpu = process.findings;
  gpu.process = 4242;
  gpu.program = "python3 train.py";
  gpu.gpu = "NVIDIA H200";
  gpu.span_s = 2.02;
  gpu.kernel_count = 100000;
  gpu.ended = true;
  for (std::int64_t i = 0; i <= 100; ++i) gpu.steps.begins_ns.push_back(i * 20'000'000);
  gpu.steps.period_s = 0.020;
  gpu.steps.p25_s = 0.0199;
  gpu.steps.p75_s = 0.0202;
  gpu.steps.kernels_per_step = 1000;
  gpu.steps.confidence = 0.97;
  gpu.parts = {.forward = 0.0064,
               .backward = 0.0124,
               .optimizer = 0.0008,
               .launch_gaps = 0.0004,
               .phases_known = true};
  gpu.classes = {{KernelClass::convolution, 0.0118, 0.60, 0.99, 160},
                 {KernelClass::normalisation, 0.0039, 0.20, 0, 106},
                 {KernelClass::elementwise, 0.0031, 0.16, 0, 700},
                 {KernelClass::optimizer, 0.0008, 0.04, 0, 34}};
  gpu.signs = {.gpu_busy_share = 0.98,
               .median_kernel_s = 18e-6,
               .launches_per_step = 1000,
               .host_call_s = 0.006,
               .tensor_core_share = 0.99,
               .mean_occupied_blocks = 30};
  KernelRow kernel;
  kernel.time = {.name = "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc<a, b>",
                 .count = 5000,
                 .total_s = 0.6,
                 .share = 0.6,
                 .mean_s = 120e-6,
                 .median_s = 118e-6,
                 .min_s = 20e-6,
                 .max_s = 300e-6,
                 .deviation_s = 40e-6};
  kernel.kind = KernelClass::convolution;
  kernel.tensor_cores = true;
  kernel.count_per_step = 50;
  kernel.seconds_per_step = 0.006;
  gpu.tables.kernels.push_back(kernel);
  gpu.tables.calls.push_back({.name = "cudaLaunchKernel",
                              .count = 100000,
                              .total_s = 0.5,
                              .share = 1,
                              .mean_s = 5e-6,
                              .median_s = 4e-6,
                              .min_s = 2e-6,
                              .max_s = 1e-3,
                              .deviation_s = 2e-6});
  process.gpus.push_back({.index = 0, .name = "NVIDIA H200", .compute_major = 9});
  return process;
}

// A run of ten seconds on a machine with 16 cores, sampled every 100 ms.
inline RunFindings made_run() {
  RunFindings run;
  run.id = 7;
  run.record.order.key = "20261115-042736-3f9a1c";
  run.record.order.spec.model = "resnet50";
  run.record.order.spec.data = "synthetic";
  run.record.outcome = Outcome::ok;
  run.record.totals.wall_seconds = 12;
  UsageLog log;
  for (int i = 0; i <= 100; ++i) {
    UsageSample sample;
    sample.unix_seconds = 1.7e9 + 0.1 * i;
    sample.processes = 1;
    sample.threads = 20;
    sample.user_s = 0.11 * i;
    sample.system_s = 0.01 * i;
    sample.resident_bytes = (std::int64_t{3} << 30) + i;
    sample.peak_resident_bytes = sample.resident_bytes;
    log.samples.push_back(sample);
  }
  log.facts =
      UsageFacts{.interval_s = 0.1, .cores = 16, .memory_limit_bytes = std::int64_t{128} << 30};
  run.used = summarise(log);
  run.usage = std::move(log);
  return run;
}

inline RunFindings made_gpu_run() {
  RunFindings run = made_run();
  run.processes.push_back(made_process());
  return run;
}

// Returns nullptr if there is no such advice.
inline const Advice* find_advice(const std::vector<Advice>& all, std::string_view key) {
  for (const Advice& advice : all) {
    if (advice.key == key) return &advice;
  }
  return nullptr;
}

}  // namespace tacho
