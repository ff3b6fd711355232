#pragma once

#include <cstdint>

#include "record/precision.h"
#include "train/describe/step_trace.h"

namespace tacho {

// What one operation costs at the batch it was traced with. A multiply-add is one product and one
// sum, two FLOPs. They are counted for products alone (convolution, linear, attention, LSTM):
// what the rest computes is hidden behind the bytes it moves.
struct OpCost {
  double forward_multiply_adds = 0;
  double backward_multiply_adds = 0;
  // Every tensor read or written counted once, as a perfect cache would have it.
  double forward_bytes = 0;
  double backward_bytes = 0;
};

OpCost cost_of(const TracedOp& op, Precision precision);

// Bytes an operation with a kernel of its own on the GPU keeps there for the way back, besides its
// inputs and results.
std::int64_t kept_on_gpu(const TracedOp& op);

inline bool is_16bit(Precision precision) {
  return precision == Precision::bf16 || precision == Precision::fp16;
}

// The share of its fp32 size that a float tensor of such an operation takes.
inline double width_of(OpKind kind, Precision precision) {
  return is_16bit(precision) && follows_precision(kind) ? 0.5 : 1;
}

}  // namespace tacho
