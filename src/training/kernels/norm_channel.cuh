#pragma once

// Computes what a batch norm needs of a channel from its sums; shared by both variants.

#include "training/kernels/kernels.h"
#include "training/kernels/rows.cuh"

namespace tacho::kernels {

// y = scale·x + shift.
struct Line {
  float scale;
  float shift;
};

// Facts of a channel that are known before its sums. k is its first number: the sums are of x - k,
// because otherwise a mean far from 0 would cancel the variance.
struct ForwardChannel {
  float k;
  float gamma;
  float beta;
};

template <class T>
__device__ ForwardChannel forward_channel(const BatchNormForward& p, int64_t c) {
  return {static_cast<float>(static_cast<const T*>(p.x)[c]), p.gamma[c], p.beta[c]};
}

struct Moments {
  float mean;
  float variance;
  float rstd;
};

__device__ inline Moments moments_of(const BatchNormForward& p, float k, float sum, float squares) {
  const auto count = static_cast<float>(p.shape.rows);
  const float offset = sum / count;
  const float variance = fmaxf(squares / count - offset * offset, 0.0F);
  return {k + offset, variance, rsqrtf(variance + p.epsilon)};
}

__device__ inline Line line_of(const ForwardChannel& channel, const Moments& m) {
  const float scale = channel.gamma * m.rstd;
  return {scale, channel.beta - m.mean * scale};
}

// The previous running statistics, loaded early so that nothing waits for them at the end.
struct Running {
  float mean;
  float variance;
};

__device__ inline Running running_of(const BatchNormForward& p, int64_t c) {
  if (p.running_mean == nullptr) return {};
  return {p.running_mean[c], p.running_var[c]};
}

__device__ inline void write_moments(const BatchNormForward& p, int64_t c, const Moments& m,
                                     const Running& before) {
  p.mean[c] = m.mean;
  p.rstd[c] = m.rstd;
  if (p.running_mean == nullptr) return;
  const auto count = static_cast<float>(p.shape.rows);
  const float unbiased = m.variance * count / fmaxf(count - 1, 1.0F);
  p.running_mean[c] = before.mean + p.momentum * (m.mean - before.mean);
  p.running_var[c] = before.variance + p.momentum * (unbiased - before.variance);
}

// Determines which gradients pass a ReLU. Without a residual its sign is that of scale·x + shift.
enum class Gate { open, of_x, of_bits };

template <Gate kGate, class T>
__device__ void through(float (&dy)[Pack<T>::kWidth], const float* x, unsigned bits,
                        const float* scale, const float* shift) {
#pragma unroll
  for (int i = 0; i < Pack<T>::kWidth; ++i) {
    if (kGate == Gate::of_x && !(scale[i] * x[i] + shift[i] > 0)) dy[i] = 0;
    if (kGate == Gate::of_bits && (bits >> i & 1U) == 0) dy[i] = 0;
  }
}

struct BackwardChannel {
  float mean;
  float rstd;
  float gamma;
};

__device__ inline BackwardChannel backward_channel(const BatchNormBackward& p, int64_t c) {
  return {p.mean[c], p.rstd[c], p.gamma[c]};
}

// dx = a·dy' + b·x + c, with a, b and c constant for a channel.
struct BackwardLine {
  float a;
  float b;
  float c;
};

// Computes the line from the sums of dy' and of dy'·(x - mean).
__device__ inline BackwardLine line_of(const BackwardChannel& channel, int64_t rows, float sum,
                                       float product) {
  const auto count = static_cast<float>(rows);
  const float a = channel.gamma * channel.rstd;
  const float b = -a * channel.rstd * channel.rstd * product / count;
  return {a, b, -a * sum / count - b * channel.mean};
}

}  // namespace tacho::kernels
