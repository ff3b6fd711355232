// The optimizers: one kernel for all parameters, which reads the learning rate from memory (so that
// a captured graph follows the schedule) and writes the 16-bit copies that the model computes with.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int kMostThreads = 1024;
constexpr int kPack = 4;
// Packs of each array that a thread has in flight at once, to hide memory latency.
constexpr int kTurns = 2;
static_assert(kChunk % (kThreads * kPack * kTurns) == 0, "a chunk is a multiple of a turn");

// Computes the values of a step once instead of in every block.
__global__ void set_step(StepState* state, StepFigures p) {
  const double rates[] = {p.learning_rate, p.learning_rate * p.head_factor};
  state->second_scale = 1;
  for (int group = 0; group < 2; ++group) {
    state->rate[group] = static_cast<float>(rates[group]);
    state->shrink[group] = 1;
  }
  if (!p.adam) return;
  const auto t = static_cast<double>(p.step - state->skipped);
  const double first = 1 - pow(p.beta1, t);
  const double second = 1 - pow(p.beta2, t);
  state->second_scale = static_cast<float>(1 / sqrt(second));
  for (int group = 0; group < 2; ++group) {
    state->rate[group] = static_cast<float>(rates[group] / first);
    if (p.decoupled) state->shrink[group] = static_cast<float>(1 - rates[group] * p.weight_decay);
  }
}

// Four numbers in their memory layout.
template <class T>
struct Four;
template <>
struct Four<float> {
  using Raw = float4;
  __device__ static void unpack(const Raw& raw, float (&to)[kPack]) {
    to[0] = raw.x;
    to[1] = raw.y;
    to[2] = raw.z;
    to[3] = raw.w;
  }
  __device__ static Raw pack(const float (&from)[kPack]) {
    return make_float4(from[0], from[1], from[2], from[3]);
  }
};
template <class T>
struct Four {
  using Raw = uint2;
  __device__ static void unpack(const Raw& raw, float (&to)[kPack]) {
    const auto* all = reinterpret_cast<const T*>(&raw);
#pragma unroll
    for (int i = 0; i < kPack; ++i) to[i] = static_cast<float>(all[i]);
  }
  __device__ static Raw pack(const float (&from)[kPack]) {
    Raw raw;
    auto* all = reinterpret_cast<T*>(&raw);
#pragma unroll
    for (int i = 0; i < kPack; ++i) all[i] = static_cast<T>(from[i]);
    return raw;
  }
};

template <class T>
__device__ typename Four<T>::Raw load_four(const T* from) {
  return *reinterpret_cast<const typename Four<T>::Raw*>(from);
}

template <class T>
__device__ void store_four(T* to, const float (&from)[kPack]) {
  *reinterpret_cast<typename Four<T>::Raw*>(to) = Four<T>::pack(from);
}

struct Span {
  int64_t begin, end;
  __device__ Span(const Parameter& parameter, const Chunk& chunk)
      : begin(chunk.number * kChunk), end(min(begin + kChunk, parameter.count)) {}
  [[nodiscard]] __device__ bool whole() const { return end - begin == kChunk; }
};

__device__ float add_block(float value) {
  __shared__ float shared[kMostThreads / kLanes];
  value = add_across(value);
  if (threadIdx.x % kLanes == 0) shared[threadIdx.x / kLanes] = value;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < blockDim.x / kLanes; ++i) sum += shared[i];
  return sum;
}

template <class G>
__device__ float squares_of(const Parameter& parameter, const Span& span) {
  const auto* gradient = static_cast<const G*>(parameter.gradient);
  float sum = 0;
  if (!span.whole()) {
    for (int64_t at = span.begin + threadIdx.x; at < span.end; at += kThreads) {
      const auto g = static_cast<float>(gradient[at]);
      sum += g * g;
    }
    return sum;
  }
  constexpr int kAll = kChunk / (kThreads * kPack);
  typename Four<G>::Raw raw[kAll];
#pragma unroll
  for (int u = 0; u < kAll; ++u) {
    raw[u] = load_four(gradient + span.begin + (u * kThreads + threadIdx.x) * kPack);
  }
#pragma unroll
  for (int u = 0; u < kAll; ++u) {
    float g[kPack];
    Four<G>::unpack(raw[u], g);
#pragma unroll
    for (int i = 0; i < kPack; ++i) sum += g[i] * g[i];
  }
  return sum;
}

template <class T>
__global__ void __launch_bounds__(kThreads) chunk_squares(OptimizerStep p) {
  const Chunk chunk = p.chunks[blockIdx.x];
  const Parameter parameter = p.parameters[chunk.parameter];
  const Span span(parameter, chunk);
  const float sum = add_block(parameter.used == nullptr ? squares_of<float>(parameter, span)
                                                        : squares_of<T>(parameter, span));
  if (threadIdx.x == 0) p.squares[blockIdx.x] = sum;
}

// One block adds in a fixed order, so that equal gradients always have the same norm.
__global__ void __launch_bounds__(kMostThreads) sum_squares(OptimizerStep p) {
  float sum = 0;
#pragma unroll 8
  for (int64_t i = threadIdx.x; i < p.chunk_count; i += kMostThreads) sum += p.squares[i];
  sum = add_block(sum);
  if (threadIdx.x == 0) p.state->squares = sum;
}

__device__ bool overflowed(const OptimizerStep& p) {
  return p.scaled && !isfinite(p.state->squares);
}

// Returns the factor of the gradients: it undoes the loss scale and applies clipping.
__device__ float gradient_factor(const OptimizerStep& p) {
  const float factor = p.scaled ? 1 / p.state->loss_scale : 1;
  if (p.clip_norm == 0) return factor;
  const float coefficient = p.clip_norm / (sqrtf(p.state->squares) * factor + 1e-6F);
  return coefficient < 1 ? factor * coefficient : factor;
}

enum class Rule { sgd, momentum, adam };

// Updates one number. `m` and `v` are its moments, if the rule has them.
template <Rule kRule>
struct Update {
  float rate, second_scale, shrink;
  float factor;   // of the gradient
  float coupled;  // weight decay through the gradient
  float momentum, beta1, beta2, epsilon;
  bool nesterov;

  __device__ Update(const OptimizerStep& p, int32_t group)
      : rate(p.state->rate[group]),
        second_scale(p.state->second_scale),
        shrink(p.state->shrink[group]),
        factor(gradient_factor(p)),
        coupled(p.adam && p.decoupled ? 0 : p.weight_decay),
        momentum(p.momentum),
        beta1(p.beta1),
        beta2(p.beta2),
        epsilon(p.epsilon),
        nesterov(p.nesterov) {}

  __device__ void operator()(float& w, float g, float& m, float& v) const {
    const float old = w * shrink;
    const float gradient = g * factor + coupled * old;
    if (kRule == Rule::adam) {
      m = beta1 * m + (1 - beta1) * gradient;
      v = beta2 * v + (1 - beta2) * gradient * gradient;
      w = old - rate * m / (sqrtf(v) * second_scale + epsilon);
    } else if (kRule == Rule::momentum) {
      m = momentum * m + gradient;
      w = old - rate * (nesterov ? gradient + momentum * m : m);
    } else {
      w = old - rate * gradient;
    }
  }
};

// G is the gradient's type; if it has 16 bits, so has the copy that the model computes with.
template <class G, Rule kRule>
__device__ void step_span(const Parameter& parameter, const Span& span,
                          const Update<kRule>& update) {
  constexpr bool kFirst = kRule != Rule::sgd;
  constexpr bool kSecond = kRule == Rule::adam;
  constexpr bool kCopied = sizeof(G) == 2;
  const auto* gradients = static_cast<const G*>(parameter.gradient);
  if (!span.whole()) {
    for (int64_t at = span.begin + threadIdx.x; at < span.end; at += kThreads) {
      float w = parameter.weights[at];
      float m = kFirst ? parameter.first[at] : 0;
      float v = kSecond ? parameter.second[at] : 0;
      update(w, static_cast<float>(gradients[at]), m, v);
      parameter.weights[at] = w;
      if (kFirst) parameter.first[at] = m;
      if (kSecond) parameter.second[at] = v;
      if (kCopied) static_cast<G*>(parameter.used)[at] = static_cast<G>(w);
    }
    return;
  }
  constexpr int kTurn = kThreads * kPack;
  for (int64_t from = span.begin + threadIdx.x * kPack; from < span.end; from += kTurns * kTurn) {
    float4 raw_w[kTurns], raw_m[kTurns], raw_v[kTurns];
    typename Four<G>::Raw raw_g[kTurns];
#pragma unroll
    for (int u = 0; u < kTurns; ++u) {
      raw_w[u] = load_four(parameter.weights + from + u * kTurn);
      raw_g[u] = load_four(gradients + from + u * kTurn);
      if (kFirst) raw_m[u] = load_four(parameter.first + from + u * kTurn);
      if (kSecond) raw_v[u] = load_four(parameter.second + from + u * kTurn);
    }
#pragma unroll
    for (int u = 0; u < kTurns; ++u) {
      float w[kPack], g[kPack], m[kPack] = {}, v[kPack] = {};
      Four<float>::unpack(raw_w[u], w);
      Four<G>::unpack(raw_g[u], g);
      if (kFirst) Four<float>::unpack(raw_m[u], m);
      if (kSecond) Four<float>::unpack(raw_v[u], v);
#pragma unroll
      for (int i = 0; i < kPack; ++i) update(w[i], g[i], m[i], v[i]);
      store_four(parameter.weights + from + u * kTurn, w);
      if (kFirst) store_four(parameter.first + from + u * kTurn, m);
      if (kSecond) store_four(parameter.second + from + u * kTurn, v);
      if (kCopied) store_four(static_cast<G*>(parameter.used) + from + u * kTurn, w);
    }
  }
}

template <class T, Rule kRule>
__global__ void __launch_bounds__(kThreads) step_chunks(OptimizerStep p) {
  if (overflowed(p)) return;
  const Chunk chunk = p.chunks[blockIdx.x];
  const Parameter parameter = p.parameters[chunk.parameter];
  const Span span(parameter, chunk);
  const Update<kRule> update(p, parameter.group);
  if (parameter.used == nullptr) return step_span<float>(parameter, span, update);
  step_span<T>(parameter, span, update);
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

void begin_step(StepState* state, const StepFigures& figures, Stream stream) {
  launch(set_step, {1, 1, 0, stream}, state, figures);
}

void add_squares(const OptimizerStep& p, Stream stream) {
  with_type(p.gradients, [&](auto example) {
    launch(chunk_squares<decltype(example)>, {block_count(p), kThreads, 0, stream}, p);
  });
  launch(sum_squares, {1, kMostThreads, 0, stream}, p);
}

void step(const OptimizerStep& p, Stream stream) {
  with_type(p.gradients, [&](auto example) {
    using T = decltype(example);
    auto* kernel = p.adam            ? &step_chunks<T, Rule::adam>
                   : p.momentum != 0 ? &step_chunks<T, Rule::momentum>
                                     : &step_chunks<T, Rule::sgd>;
    launch(kernel, {block_count(p), kThreads, 0, stream}, p);
  });
}

void adapt_scale(StepState* state, int32_t good_steps_to_grow, Stream stream) {
  launch(change_scale, {1, 1, 0, stream}, state, good_steps_to_grow);
}

}  // namespace tacho::kernels
