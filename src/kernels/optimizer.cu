// The optimizers: one kernel for all parameters, which reads the learning rate from memory (a
// captured graph follows the schedule) and writes the 16-bit copies the model computes with.
#include "kernels/kernels.h"
#include "kernels/rows.cuh"

namespace tacho::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int kPack = 4;

__global__ void set_step(StepState* state, double learning_rate, int64_t step) {
  state->learning_rate = learning_rate;
  state->step = step;
}

// The numbers of a chunk that this thread handles, four at a time.
template <class Work>
__device__ void walk_chunk(const Parameter& parameter, int number, Work work) {
  const int64_t begin = number * kChunk;
  const int64_t end = begin + kChunk < parameter.count ? begin + kChunk : parameter.count;
  for (int64_t at = begin + threadIdx.x * kPack; at < end; at += kThreads * kPack) {
    work(at, end - at < kPack ? static_cast<int>(end - at) : kPack);
  }
}

__device__ inline void load(const float* from, int count, float (&to)[kPack]) {
  if (count == kPack) return load_pack(from, to);
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

__device__ inline void store(float* to, int count, const float (&from)[kPack]) {
  if (count == kPack) return store_pack(to, from);
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

template <class T>
__device__ void load(const T* from, int count, float (&to)[kPack]) {
  if (count == kPack) {
    const uint2 raw = *reinterpret_cast<const uint2*>(from);
    const auto* all = reinterpret_cast<const T*>(&raw);
#pragma unroll
    for (int i = 0; i < kPack; ++i) to[i] = static_cast<float>(all[i]);
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

template <class T>
__device__ void store(T* to, int count, const float (&from)[kPack]) {
  if (count == kPack) {
    uint2 raw;
    auto* all = reinterpret_cast<T*>(&raw);
#pragma unroll
    for (int i = 0; i < kPack; ++i) all[i] = static_cast<T>(from[i]);
    *reinterpret_cast<uint2*>(to) = raw;
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]);
}

template <class T>
__device__ void load_gradient(const Parameter& parameter, int64_t at, int count,
                              float (&to)[kPack]) {
  if (parameter.used == nullptr) {
    load(static_cast<const float*>(parameter.gradient) + at, count, to);
  } else {
    load(static_cast<const T*>(parameter.gradient) + at, count, to);
  }
}

__device__ float add_block(float value) {
  __shared__ float shared[kThreads / 32];
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffU, value, step);
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kThreads / 32; ++i) sum += shared[i];
  return sum;
}

template <class T>
__global__ void __launch_bounds__(kThreads) chunk_squares(OptimizerStep p) {
  const Chunk chunk = p.chunks[blockIdx.x];
  const Parameter parameter = p.parameters[chunk.parameter];
  float sum = 0;
  walk_chunk(parameter, chunk.number, [&](int64_t at, int count) {
    float g[kPack];
    load_gradient<T>(parameter, at, count, g);
    for (int i = 0; i < count; ++i) sum += g[i] * g[i];
  });
  sum = add_block(sum);
  if (threadIdx.x == 0) p.squares[blockIdx.x] = sum;
}

// One block adds them in a fixed order: the same gradients have the same norm every time.
__global__ void __launch_bounds__(kThreads) sum_squares(OptimizerStep p) {
  float sum = 0;
  for (int64_t i = threadIdx.x; i < p.chunk_count; i += kThreads) sum += p.squares[i];
  sum = add_block(sum);
  if (threadIdx.x == 0) p.state->squares = sum;
}

__device__ bool overflowed(const OptimizerStep& p) {
  return p.scaled && !isfinite(p.state->squares);
}

// What gradients are multiplied by: the loss's scale undone, clipping done.
__device__ float gradient_factor(const OptimizerStep& p) {
  const float factor = p.scaled ? 1 / p.state->loss_scale : 1;
  if (p.clip_norm == 0) return factor;
  const float coefficient = p.clip_norm / (sqrtf(p.state->squares) * factor + 1e-6F);
  return coefficient < 1 ? factor * coefficient : factor;
}

struct Rates {
  float rate;          // adam: over the first moment's bias correction
  float second_scale;  // 1 / √(bias correction of the second moment)
  float shrink;        // adamw: the weight is multiplied by it first
};

__device__ Rates rates_of(const OptimizerStep& p) {
  const double rate = p.state->learning_rate;
  if (!p.adam) return {static_cast<float>(rate), 1, 1};
  const auto t = static_cast<double>(p.state->step - p.state->skipped);
  const double first = 1 - pow(static_cast<double>(p.beta1), t);
  const double second = 1 - pow(static_cast<double>(p.beta2), t);
  const double shrink = p.decoupled ? 1 - rate * p.weight_decay : 1;
  return {static_cast<float>(rate / first), static_cast<float>(1 / sqrt(second)),
          static_cast<float>(shrink)};
}

template <class T>
__global__ void __launch_bounds__(kThreads) step_chunks(OptimizerStep p) {
  if (overflowed(p)) return;
  __shared__ Rates rates;
  if (threadIdx.x == 0) rates = rates_of(p);
  __syncthreads();
  const Rates r = rates;
  const float factor = gradient_factor(p);
  const float coupled = p.adam && p.decoupled ? 0 : p.weight_decay;
  const Chunk chunk = p.chunks[blockIdx.x];
  const Parameter parameter = p.parameters[chunk.parameter];
  walk_chunk(parameter, chunk.number, [&](int64_t at, int count) {
    float w[kPack];
    float g[kPack];
    float m[kPack];
    float v[kPack];
    load(parameter.weights + at, count, w);
    load_gradient<T>(parameter, at, count, g);
    if (parameter.first != nullptr) load(parameter.first + at, count, m);
    if (parameter.second != nullptr) load(parameter.second + at, count, v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const float old = w[i] * r.shrink;
      const float gradient = g[i] * factor + coupled * old;
      if (p.adam) {
        m[i] = p.beta1 * m[i] + (1 - p.beta1) * gradient;
        v[i] = p.beta2 * v[i] + (1 - p.beta2) * gradient * gradient;
        w[i] = old - r.rate * m[i] / (sqrtf(v[i]) * r.second_scale + p.epsilon);
      } else if (parameter.first != nullptr) {
        m[i] = p.momentum * m[i] + gradient;
        w[i] = old - r.rate * (p.nesterov ? gradient + p.momentum * m[i] : m[i]);
      } else {
        w[i] = old - r.rate * gradient;
      }
    }
    store(parameter.weights + at, count, w);
    if (parameter.first != nullptr) store(parameter.first + at, count, m);
    if (parameter.second != nullptr) store(parameter.second + at, count, v);
    if (parameter.used != nullptr) store(static_cast<T*>(parameter.used) + at, count, w);
  });
}

__global__ void change_scale(StepState* state, int32_t good_steps_to_grow) {
  if (!isfinite(state->squares)) {
    state->loss_scale = fmaxf(state->loss_scale / 2, 1.0F);
    state->good_steps = 0;
    ++state->skipped;
    return;
  }
  if (++state->good_steps < good_steps_to_grow) return;
  state->loss_scale *= 2;
  state->good_steps = 0;
}

unsigned block_count(const OptimizerStep& p) { return static_cast<unsigned>(p.chunk_count); }

}  // namespace

void begin_step(StepState* state, double learning_rate, int64_t step, Stream stream) {
  set_step<<<1, 1, 0, stream>>>(state, learning_rate, step);
}

void add_squares(const OptimizerStep& p, Stream stream) {
  with_type(p.gradients, [&](auto example) {
    chunk_squares<decltype(example)><<<block_count(p), kThreads, 0, stream>>>(p);
  });
  sum_squares<<<1, kThreads, 0, stream>>>(p);
}

void step(const OptimizerStep& p, Stream stream) {
  with_type(p.gradients, [&](auto example) {
    step_chunks<decltype(example)><<<block_count(p), kThreads, 0, stream>>>(p);
  });
}

void adapt_scale(StepState* state, int32_t good_steps_to_grow, Stream stream) {
  change_scale<<<1, 1, 0, stream>>>(state, good_steps_to_grow);
}

}  // namespace tacho::kernels
