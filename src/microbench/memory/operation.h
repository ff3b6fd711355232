#pragma once

#include "base/names.h"

namespace tacho::bandwidth {

// Memory operations of the benchmark. Each has several forms, from naive to the best known.
enum class Operation {
  copy,       // c = a
  scale,      // c = 3·a
  triad,      // c = a + 3·b
  reduction,  // the sum of a
  transpose,  // c = aᵀ
  gather,     // c[i] = a[index[i]]
  scatter,    // c[index[i]] = a[i]
  stencil,    // c = the mean of four neighbours of a
  normalise,  // c = (row of a - mean) / standard deviation
  transfer,   // between host and GPU memory
};

inline constexpr Names<Operation, 10> kOperations = {"operation",
                                                     {{{Operation::copy, "copy"},
                                                       {Operation::scale, "scale"},
                                                       {Operation::triad, "triad"},
                                                       {Operation::reduction, "reduction"},
                                                       {Operation::transpose, "transpose"},
                                                       {Operation::gather, "gather"},
                                                       {Operation::scatter, "scatter"},
                                                       {Operation::stencil, "stencil"},
                                                       {Operation::normalise, "normalise"},
                                                       {Operation::transfer, "transfer"}}}};

inline constexpr float kFactor = 3;
inline constexpr float kEpsilon = 1e-5F;

}  // namespace tacho::bandwidth
