#pragma once

#include <cstddef>
#include <span>

namespace tacho {

// out[i] = ((inputs[0][i] + inputs[1][i]) + inputs[2][i]) + …, bitwise equal on every rank. `out`
// must not overlap the inputs.
void sum_in_order(std::span<const float* const> inputs, std::size_t count, float* out);

}  // namespace tacho
