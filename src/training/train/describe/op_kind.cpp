#include "training/train/describe/op_kind.h"

#include <array>
#include <utility>

namespace tacho {
namespace {

constexpr std::array<std::pair<std::string_view, OpKind>, 47> kKnown = {{
    {"aten::conv2d", OpKind::convolution},
    {"aten::convolution", OpKind::convolution},
    {"aten::linear", OpKind::linear},
    {"tacho::input_major_linear", OpKind::linear},
    {"tacho::attention", OpKind::attention},
    {"aten::lstm", OpKind::lstm},
    {"aten::batch_norm", OpKind::batch_norm},
    {"aten::layer_norm", OpKind::layer_norm},
    {"tacho::rms_norm", OpKind::layer_norm},
    {"tacho::gated_silu", OpKind::activation},
    {"tacho::rotate", OpKind::activation},
    {"aten::relu", OpKind::activation},
    {"aten::relu_", OpKind::activation},
    {"aten::hardtanh_", OpKind::activation},
    {"aten::gelu", OpKind::activation},
    {"aten::tanh", OpKind::activation},
    {"aten::add", OpKind::add},
    {"aten::add_", OpKind::add},
    {"aten::cat", OpKind::concat},
    {"aten::max_pool2d", OpKind::pool},
    {"aten::avg_pool2d", OpKind::pool},
    {"aten::adaptive_avg_pool2d", OpKind::pool},
    {"aten::dropout", OpKind::dropout},
    {"aten::embedding", OpKind::embedding},
    {"aten::cross_entropy_loss", OpKind::loss},
    {"aten::view", OpKind::view},
    {"aten::reshape", OpKind::view},
    {"aten::flatten", OpKind::view},
    {"aten::transpose", OpKind::view},
    {"aten::permute", OpKind::view},
    {"aten::t", OpKind::view},
    {"aten::unbind", OpKind::view},
    {"aten::select", OpKind::view},
    {"aten::narrow", OpKind::view},
    {"aten::slice", OpKind::view},
    {"aten::squeeze", OpKind::view},
    {"aten::unsqueeze", OpKind::view},
    {"aten::expand", OpKind::view},
    {"aten::amax", OpKind::pool},
    {"aten::masked_fill", OpKind::add},
    {"aten::item", OpKind::other},
    {"aten::arange", OpKind::other},
    {"aten::lt", OpKind::other},
    {"aten::sub", OpKind::other},
    {"aten::zeros", OpKind::other},
    {"aten::chunk", OpKind::view},
    {"aten::contiguous", OpKind::view},
}};

}  // namespace

OpKind op_kind(std::string_view name) {
  for (const auto& [known, kind] : kKnown) {
    if (known == name) return kind;
  }
  return OpKind::other;
}

bool follows_precision(OpKind kind) { return kind != OpKind::loss; }

bool is_product(OpKind kind) {
  return kind == OpKind::convolution || kind == OpKind::linear || kind == OpKind::attention ||
         kind == OpKind::lstm;
}

bool has_own_gpu_kernel(OpKind kind) {
  return kind == OpKind::attention || kind == OpKind::dropout || kind == OpKind::lstm;
}

}  // namespace tacho
