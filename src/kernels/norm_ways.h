#pragma once

// The two ways of a batch norm. Any layer: three kernels, of which the first and the last read all
// of it. A layer of which the processors' shared memory and L2 hold a good part: one kernel, whose
// blocks are all on the device at once, agree on their sums, and go on with what they hold.

#include <optional>

#include "kernels/kernels.h"

namespace tacho::kernels {

void three_kernels_forward(const BatchNormForward& p, Stream stream);
void three_kernels_backward(const BatchNormBackward& p, Stream stream);

enum class Pass { forward, backward };

// How a layer is laid over the processors: slices of channels, each with some blocks, each with
// some rows, of which the first are held.
struct HeldPlan {
  int slices;
  int blocks;  // of a slice
  int threads;
  int rows_each;  // of a block; the last ones may have fewer, or none
  int held_rows;  // of those
};
// A row of a slice is a line of 128 bytes: narrower ones cost memory more, wider ones make more
// sums for a block to exchange.
constexpr int kSlicePacks = 8;
// Forward leaves a thread 80 registers, the way back 128.
constexpr int kHeldThreads = 512;
constexpr int kMostForwardThreads = 768;

// With so many threads (a multiple of 128) on the current device; none where it has no place.
std::optional<HeldPlan> held_plan(const Rows& shape, Pass pass, int threads);
// With as many as are fastest.
std::optional<HeldPlan> held_plan(const Rows& shape, Pass pass);
// Whether one kernel is the faster way, and how. Residual: it is added, or gets a gradient.
std::optional<HeldPlan> choose_held_plan(const Rows& shape, Pass pass, bool residual);

void held_norm_forward(const BatchNormForward& p, const HeldPlan& plan, Stream stream);
void held_norm_backward(const BatchNormBackward& p, const HeldPlan& plan, Stream stream);

}  // namespace tacho::kernels
