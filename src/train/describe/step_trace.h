#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/describe/op_kind.h"
#include "train/models/classifier.h"

namespace tacho {

struct TracedTensor {
  const void* identity = nullptr;    // the same for the same tensor, within one trace
  std::optional<std::size_t> block;  // which of the trace's blocks holds its numbers
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
  bool is_float = false;
  bool requires_grad = false;
  [[nodiscard]] std::int64_t count() const;
};

// One call into torch of the forward pass.
struct TracedOp {
  std::string name;  // "aten::conv2d"
  OpKind kind = OpKind::other;
  std::vector<TracedTensor> inputs;
  std::vector<TracedTensor> outputs;
};

// Memory that was taken from torch's allocator, and between which two ticks it was held.
struct TracedBlock {
  std::int64_t bytes = 0;
  std::int64_t taken = 0;
  std::int64_t freed = 0;
  std::size_t op = 0;  // which forward operation it was for, also if on the way back
  bool is_float = true;
  bool on_the_way_back = false;
  bool is_result = false;    // what the operation returned, not what it keeps to itself
  bool is_gradient = false;  // of a weight

  [[nodiscard]] bool held_at(std::int64_t tick) const { return taken < tick && tick < freed; }
};

// The end of an operation, or of one of the steps that lead back through it.
struct Moment {
  std::int64_t tick = 0;
  std::size_t op = 0;
  bool on_the_way_back = false;
};

struct StepTrace {
  std::vector<TracedOp> ops;
  std::vector<TracedBlock> blocks;
  std::vector<Moment> moments;
  std::int64_t forward_end = 0;  // the tick between loss and gradients
};

// Runs one training step of the real model on the CPU, without its optimizer, and writes down what
// torch was asked to do and which memory it held meanwhile. Leaves no gradients behind.
StepTrace trace_step(Classifier& model, const Batch& batch);

// The forward pass alone.
StepTrace trace_forward(Classifier& model, const Batch& batch);

}  // namespace tacho
