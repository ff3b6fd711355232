#pragma once

#include "predict/gpu_catalog.h"
#include "predict/model_costs.h"

namespace tacho {

enum class NumberFormat { fp32, tf32, half, pure_half, fp8 };
// "amp" and "bf16" are half, "fp16" is pure_half (no fp32 copy of the weights); "" is fp32.
NumberFormat number_format(std::string_view precision);

// What a step is made of, seen from one GPU.
struct StepWork {
  SampleCost cost;
  double batch = 1;  // on this GPU
  NumberFormat format = NumberFormat::fp32;
  bool transformer = false;
  double num_gpus = 1;
  double num_nodes = 1;
};

// Seconds. Each part alone, and the step with what can be hidden hidden.
struct StepTime {
  double compute = 0;    // multiply-adds at the rate this much work reaches
  double memory = 0;     // activations read and written, at the memory's bandwidth
  double optimizer = 0;  // parameters, gradients and the optimizer's state
  double launch = 0;     // the host's part, below which no step goes
  double exchange = 0;   // the ring of gradients within and between nodes
  double on_one_gpu = 0;
  double step = 0;
};

// A roofline for each kind of work. Grows with batch, multiply-adds, activations, parameters;
// falls with every rate of the GPU. Its few constants are least-squares fits to the published
// figures of single GPUs; alone it is right within a fifth for half of them. The shipped model is
// of its errors: whoever changes it runs script/fit and raises kVersion in speed_model_file.cpp.
StepTime model_step(const StepWork& work, const GpuSpec& gpu);

// The dense peak for a format, in TFLOP/s.
double peak_tflops(const GpuSpec& gpu, NumberFormat format);

// What a step holds in the GPU's memory. Grows with batch and parameters.
double model_memory_gb(const StepWork& work);

}  // namespace tacho
