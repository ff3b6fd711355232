#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/train/describe/op_kind.h"
#include "training/train/models/classifier.h"

namespace tacho {

struct TracedTensor {
  const void* identity = nullptr;    // unique per tensor within one trace
  std::optional<std::size_t> block;  // index of the block that holds its data
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
  bool is_float = false;
  bool requires_grad = false;
  [[nodiscard]] std::int64_t count() const;
};

// One call into torch during forward.
struct TracedOp {
  std::string name;  // "aten::conv2d"
  OpKind kind = OpKind::other;
  std::vector<TracedTensor> inputs;
  std::vector<TracedTensor> outputs;
};

// Memory taken from torch's allocator, and the ticks between which it was held.
struct TracedBlock {
  std::int64_t bytes = 0;
  std::int64_t taken = 0;
  std::int64_t freed = 0;
  std::size_t op = 0;  // index of the forward operation, also for blocks of its backward
  bool is_float = true;
  bool in_backward = false;
  bool is_result = false;    // returned by the operation, not internal
  bool is_gradient = false;  // of a weight

  [[nodiscard]] bool held_at(std::int64_t tick) const { return taken < tick && tick < freed; }
};

// The end of an operation, or of one of its backward steps.
struct Moment {
  std::int64_t tick = 0;
  std::size_t op = 0;
  bool in_backward = false;
};

struct StepTrace {
  std::vector<TracedOp> ops;
  std::vector<TracedBlock> blocks;
  std::vector<Moment> moments;
  std::int64_t forward_end = 0;  // the tick between loss and gradients
};

// Runs one training step of the real model on the CPU, without optimizer, and records torch's
// operations and memory. Leaves no gradients behind.
StepTrace trace_step(Classifier& model, const Batch& batch);

// Runs only the forward pass.
StepTrace trace_forward(Classifier& model, const Batch& batch);

}  // namespace tacho
