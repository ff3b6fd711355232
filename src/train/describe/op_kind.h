#pragma once

#include <string_view>

#include "base/names.h"

namespace tacho {

// What an operation is, as far as its cost is concerned.
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
  view,   // another look at the same numbers
  other,  // costs nothing worth a name
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

// From the name torch records: "aten::conv2d".
OpKind op_kind(std::string_view name);

// Whether its results are in 16 bits where the model's weights are: all but losses.
bool follows_precision(OpKind kind);

// Multiplies matrices: where the arithmetic is.
bool is_product(OpKind kind);

// These three keep other things for the way back on a GPU than on the CPU, where they are traced:
// a fused attention never keeps the T×T weights, a dropout keeps its mask in bytes, cuDNN's LSTM
// keeps a reserve of its own.
bool has_own_gpu_kernel(OpKind kind);

}  // namespace tacho
