#pragma once

#include "record/statistics.h"
#include "report/roofline.h"
#include "trace/gpu_findings.h"

namespace tacho {

// Seconds a step that kernels would save by another precision or layout, by factors that measured
// training steps have shown.
struct KernelGain {
  double seconds = 0;
  Interval range;
};

// Share of the kernels' time in convolutions and products outside the tensor cores.
double plain_product_share(const GpuFindings& gpu);

// From fp32 outside the tensor cores to 16 bits by autocast. `ceilings` may be nullptr.
KernelGain sixteen_bit_gain(const GpuFindings& gpu, const GpuCeilings* ceilings);

// Whether the model's tensors are NCHW and convolutions turn them around. The other way, a model
// in NHWC meets kernels that want NCHW, and channels last is not the answer: it is there already.
bool turns_from_nchw(const GpuFindings& gpu);

// From NCHW to NHWC throughout.
KernelGain channels_last_gain(const GpuFindings& gpu);

}  // namespace tacho
