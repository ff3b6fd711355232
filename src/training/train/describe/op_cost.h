#pragma once

#include <cstdint>

#include "core/record/precision.h"
#include "training/train/describe/step_trace.h"

namespace tacho {

// Cost of one operation at the traced batch. A multiply-add is one product and one sum, two FLOPs.
// They are counted only for products (convolution, linear, attention, LSTM): all other arithmetic
// is hidden behind memory traffic.
struct OpCost {
  double forward_multiply_adds = 0;
  double backward_multiply_adds = 0;
  // Every tensor read or written counted once, as with a perfect cache.
  double forward_bytes = 0;
  double backward_bytes = 0;
};

OpCost cost_of(const TracedOp& op, Precision precision);

// Returns the bytes that an operation with a separate GPU kernel saves for backward, in addition to
// its inputs and results.
std::int64_t kept_on_gpu(const TracedOp& op);

inline bool is_16bit(Precision precision) {
  return precision == Precision::bf16 || precision == Precision::fp16;
}

// Size of a float tensor of such an operation relative to fp32.
inline double width_of(OpKind kind, Precision precision) {
  return is_16bit(precision) && follows_precision(kind) ? 0.5 : 1;
}

}  // namespace tacho
