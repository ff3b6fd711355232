#include "machine/comm/shm_sum.h"

#include <algorithm>

#include "base/vector_widths.h"

namespace tacho {
namespace {

constexpr std::size_t kBlock = 2048;  // floats: the partial sum stays in the L1 cache

TACHO_EVERY_VECTOR_WIDTH
void sum_two(const float* __restrict a, const float* __restrict b, std::size_t count,
             float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] + b[i];
}

TACHO_EVERY_VECTOR_WIDTH
void sum_four(const float* __restrict a, const float* __restrict b, const float* __restrict c,
              const float* __restrict d, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = ((a[i] + b[i]) + c[i]) + d[i];
}

TACHO_EVERY_VECTOR_WIDTH
void add_one(const float* __restrict more, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] += more[i];
}

void sum_block(std::span<const float* const> inputs, std::size_t at, std::size_t count,
               float* out) {
  std::size_t taken = 0;
  if (inputs.size() >= 4) {
    sum_four(inputs[0] + at, inputs[1] + at, inputs[2] + at, inputs[3] + at, count, out);
    taken = 4;
  } else if (inputs.size() >= 2) {
    sum_two(inputs[0] + at, inputs[1] + at, count, out);
    taken = 2;
  } else {
    std::copy_n(inputs[0] + at, count, out);
    taken = 1;
  }
  for (const float* more : inputs.subspan(taken)) add_one(more + at, count, out);
}

}  // namespace

void sum_in_order(std::span<const float* const> inputs, std::size_t count, float* out) {
  for (std::size_t at = 0; at < count; at += kBlock) {
    sum_block(inputs, at, std::min(kBlock, count - at), out + at);
  }
}

}  // namespace tacho
