#pragma once

#include "record/statistics.h"
#include "trace/gpu_findings.h"

namespace tacho {

// What a step's kernels would save, by the factors that measured training steps have shown.

struct PrecisionGain {
  double product_share = 0;  // convolutions and products, of the time kernels run
  double saved_s = 0;        // a step
  Interval range_s;
};
// From fp32 outside the tensor cores to bf16 by autocast.
PrecisionGain bf16_gain(const GpuFindings& gpu);

struct LayoutGain {
  double saved_s = 0;
  Interval range_s;
};
// From NCHW to NHWC throughout.
LayoutGain channels_last_gain(const GpuFindings& gpu);

}  // namespace tacho
