#pragma once

#include "predict/speed/gpu_catalog.h"
#include "predict/speed/model_costs.h"

namespace tacho {

enum class NumberFormat { fp32, tf32, half, pure_half, fp8 };
// "amp" and "bf16" are half, "fp16" is pure_half (no fp32 copy of the weights); "" is fp32.
NumberFormat number_format(std::string_view precision);

// The work of a step on one GPU.
struct StepWork {
  SampleCost cost;
  double batch = 1;  // per GPU
  NumberFormat format = NumberFormat::fp32;
  bool transformer = false;
  double num_gpus = 1;
  double num_nodes = 1;
};

// Seconds of each part by itself, and of the step with overlapping parts.
struct StepTime {
  double compute = 0;    // multiply-adds at the rate that this amount of work reaches
  double memory = 0;     // activations read and written, at the memory bandwidth
  double optimizer = 0;  // parameters, gradients and optimizer state
  double launch = 0;     // launches by the host, a lower bound for the step
  double exchange = 0;   // ring of gradients within and between nodes
  double on_one_gpu = 0;
  double step = 0;
};

// What a step's time is spent on; sums to 1.
struct StepShares {
  double arithmetic = 0;
  double memory = 0;  // traffic of activations
  double optimizer = 0;
  double launch = 0;
  double exchange = 0;
};
StepShares shares_of(const StepTime& time);

// Adds the exchange of gradients, partly hidden behind the backward pass, to a step on one GPU.
double with_exchange(double on_one_gpu, const StepWork& work, const GpuSpec& gpu);

// A roofline per kind of work. Increases with batch, multiply-adds, activations and parameters;
// decreases with every rate of the GPU. Its few constants are least-squares fits to published
// figures of single GPUs; by itself it is within 20 % for half of them. The shipped model was
// fitted to its errors: after a change, run script/fit and increase kVersion in
// speed_model_file.cpp.
StepTime model_step(const StepWork& work, const GpuSpec& gpu);

// Returns the dense peak for a format, in TFLOP/s.
double peak_tflops(const GpuSpec& gpu, NumberFormat format);

// Returns the GPU memory that a step needs. Increases with batch and parameters.
double model_memory_gb(const StepWork& work);

}  // namespace tacho
