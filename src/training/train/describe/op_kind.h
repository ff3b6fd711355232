#pragma once

#include <string_view>

#include "base/names.h"

namespace tacho {

// Kinds of operations with different costs.
enum class OpKind {
  convolution,
  linear,
  attention,
  lstm,
  batch_norm,
  layer_norm,
  activation,
  add,
  concat,
  pool,
  dropout,
  embedding,
  loss,
  view,   // no data movement
  other,  // negligible cost
};
inline constexpr Names<OpKind, 15> kOpKinds{"kind of operation",
                                            {{{OpKind::convolution, "convolution"},
                                              {OpKind::linear, "linear"},
                                              {OpKind::attention, "attention"},
                                              {OpKind::lstm, "lstm"},
                                              {OpKind::batch_norm, "batch_norm"},
                                              {OpKind::layer_norm, "layer_norm"},
                                              {OpKind::activation, "activation"},
                                              {OpKind::add, "add"},
                                              {OpKind::concat, "concat"},
                                              {OpKind::pool, "pool"},
                                              {OpKind::dropout, "dropout"},
                                              {OpKind::embedding, "embedding"},
                                              {OpKind::loss, "loss"},
                                              {OpKind::view, "view"},
                                              {OpKind::other, "other"}}}};

// Parses the name that torch records: "aten::conv2d".
OpKind op_kind(std::string_view name);

// True if its results have the precision of the model's weights: all but losses.
bool follows_precision(OpKind kind);

// True for matrix products, which dominate the arithmetic.
bool is_product(OpKind kind);

// These three save different tensors for backward on a GPU than on the CPU, where they are traced:
// a fused attention never keeps the T×T weights, a dropout keeps its mask in bytes, cuDNN's LSTM
// keeps a reserve.
bool has_own_gpu_kernel(OpKind kind);

}  // namespace tacho
