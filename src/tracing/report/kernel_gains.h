#pragma once

#include "core/record/statistics.h"
#include "tracing/report/roofline.h"
#include "tracing/trace/gpu_findings.h"

namespace tacho {

// Seconds per step that kernels would save with another precision or layout, from factors measured
// in training steps.
struct KernelGain {
  double seconds = 0;
  Interval range;
};

// Share of the kernel time in convolutions and matrix products without tensor cores.
double plain_product_share(const GpuFindings& gpu);

// Gain from replacing fp32 without tensor cores by 16-bit autocast. `ceilings` may be nullptr.
KernelGain sixteen_bit_gain(const GpuFindings& gpu, const GpuCeilings* ceilings);

// True if the model's tensors are NCHW and convolutions convert them. In the opposite case, a model
// in NHWC meets kernels that require NCHW, and recommending channels last would be wrong.
bool converts_from_nchw(const GpuFindings& gpu);

// Gain from NHWC instead of NCHW in the whole model.
KernelGain channels_last_gain(const GpuFindings& gpu);

}  // namespace tacho
