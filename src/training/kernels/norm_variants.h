#pragma once

// The two variants of a batch norm. For any layer: three kernels, of which the first and the last
// read all of it. For a layer that largely fits into the SMs' shared memory and L2: one kernel,
// whose blocks are all resident at once, exchange their sums, and continue with the rows they hold.

#include <optional>

#include "training/kernels/kernels.h"

namespace tacho::kernels {

void three_kernels_forward(const BatchNormForward& p, Stream stream);
void three_kernels_backward(const BatchNormBackward& p, Stream stream);

enum class Pass { forward, backward };

// Distributes a layer over the SMs: slices of channels, each with some blocks, each with some rows,
// of which the first are held in shared memory.
struct HeldPlan {
  int slices;
  int blocks;  // per slice
  int threads;
  int rows_each;  // per block; the last ones may have fewer, or none
  int held_rows;  // of rows_each
};
// A row of a slice is 128 bytes: narrower rows use memory less well, wider ones give a block more
// sums to exchange.
constexpr int kSlicePacks = 8;
// Forward leaves a thread 80 registers, backward 128.
constexpr int kHeldThreads = 512;
constexpr int kMostForwardThreads = 768;

// Plans for this number of threads (a multiple of 128) on the current device; nullopt if it does
// not fit.
std::optional<HeldPlan> held_plan(const Rows& shape, Pass pass, int threads);
// Plans for the fastest number of threads.
std::optional<HeldPlan> held_plan(const Rows& shape, Pass pass);
// Returns a plan if one kernel is faster. residual: one is added, or gets a gradient.
std::optional<HeldPlan> choose_held_plan(const Rows& shape, Pass pass, bool residual);

void held_norm_forward(const BatchNormForward& p, const HeldPlan& plan, Stream stream);
void held_norm_backward(const BatchNormBackward& p, const HeldPlan& plan, Stream stream);

}  // namespace tacho::kernels
