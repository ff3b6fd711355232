#include "tracing/trace/kernel_class.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tacho {
namespace {

struct Word {
  std::string_view part;  // in lower case
  KernelClass kind;
};

// The first part that occurs in a kernel's name decides, so special cases come first: cuDNN's
// convolutions are also called implicit gemm, and its attention kernels also "fprop". Names may be
// mangled, so no part contains "::".
constexpr auto kWords = std::to_array<Word>({
    {"nccl", KernelClass::communication},
    {"rccl", KernelClass::communication},
    {"allreduce", KernelClass::communication},
    {"all_reduce", KernelClass::communication},
    {"nvshmem", KernelClass::communication},

    {"zerofunctor", KernelClass::elementwise},  // gradients set to zero, before any step
    {"multi_tensor_apply", KernelClass::optimizer},
    {"multitensorapply", KernelClass::optimizer},
    {"multi_tensor", KernelClass::optimizer},
    {"lpnorm_cleanup", KernelClass::optimizer},
    {"fused_adam", KernelClass::optimizer},
    {"fusedadam", KernelClass::optimizer},
    {"adamw", KernelClass::optimizer},
    {"adam_", KernelClass::optimizer},
    {"adamfunctor", KernelClass::optimizer},
    {"fused_sgd", KernelClass::optimizer},
    {"fusedsgd", KernelClass::optimizer},
    {"adagrad", KernelClass::optimizer},
    {"applyadam", KernelClass::optimizer},
    {"applymomentum", KernelClass::optimizer},
    {"applygradientdescent", KernelClass::optimizer},
    {"amp_update_scale", KernelClass::optimizer},
    {"non_finite_check", KernelClass::optimizer},
    {"triton_for_fused", KernelClass::optimizer},
    {"_foreach_", KernelClass::optimizer},
    {"step_chunks", KernelClass::optimizer},
    {"chunk_squares", KernelClass::optimizer},
    {"sum_squares", KernelClass::optimizer},
    {"change_scale", KernelClass::optimizer},
    {"set_step", KernelClass::optimizer},

    {"nchwtonhwc", KernelClass::copy},
    {"nhwctonchw", KernelClass::copy},
    {"nhwctofoldednhwc", KernelClass::copy},
    {"converttensor", KernelClass::copy},
    {"tensortransform", KernelClass::copy},
    {"addpadding", KernelClass::copy},
    {"reducesplitk", KernelClass::convolution},
    {"flip_filter", KernelClass::convolution},
    {"precompute_indices", KernelClass::convolution},
    {"region_transform", KernelClass::convolution},  // between the parts of an FFT convolution
    {"mult_and_sum_complex", KernelClass::convolution},

    {"lstm_elementwise", KernelClass::elementwise},
    {"elemwisernncell", KernelClass::elementwise},
    {"lstm_cell", KernelClass::elementwise},
    {"gru_cell", KernelClass::elementwise},

    {"sdpa", KernelClass::product},
    {"fmha", KernelClass::product},
    {"flash", KernelClass::product},
    {"attention", KernelClass::product},
    {"splitkreduce", KernelClass::product},
    {"rnn_", KernelClass::product},
    {"persistrnn", KernelClass::product},

    {"bn_fw", KernelClass::normalisation},
    {"bn_bw", KernelClass::normalisation},
    {"batch_norm", KernelClass::normalisation},
    {"batchnorm", KernelClass::normalisation},
    {"layer_norm", KernelClass::normalisation},
    {"layernorm", KernelClass::normalisation},
    {"group_norm", KernelClass::normalisation},
    {"groupnorm", KernelClass::normalisation},
    {"instance_norm", KernelClass::normalisation},
    {"rms_norm", KernelClass::normalisation},
    {"rmsnorm", KernelClass::normalisation},
    {"weight_norm", KernelClass::normalisation},
    {"rowwisemoments", KernelClass::normalisation},
    {"gammabeta", KernelClass::normalisation},
    {"computefusedparams", KernelClass::normalisation},
    {"computeinternalgradients", KernelClass::normalisation},
    {"computegradinput", KernelClass::normalisation},
    {"welford", KernelClass::normalisation},
    {"nhwc_norm", KernelClass::normalisation},
    {"add_norm", KernelClass::normalisation},
    {"finish_columns", KernelClass::normalisation},
    {"shifted_moments", KernelClass::normalisation},
    {"finish_moments", KernelClass::normalisation},
    {"scale_shift", KernelClass::normalisation},
    {"norm_backward", KernelClass::normalisation},
    {"held_forward", KernelClass::normalisation},
    {"held_backward", KernelClass::normalisation},
    {"finish_backward_sums", KernelClass::normalisation},

    {"fprop", KernelClass::convolution},
    {"dgrad", KernelClass::convolution},
    {"wgrad", KernelClass::convolution},
    {"convol", KernelClass::convolution},
    {"winograd", KernelClass::convolution},
    {"conv1d", KernelClass::convolution},
    {"conv2d", KernelClass::convolution},
    {"conv3d", KernelClass::convolution},
    {"conv_", KernelClass::convolution},
    {"depthwise", KernelClass::convolution},
    {"im2col", KernelClass::convolution},
    {"col2im", KernelClass::convolution},
    {"vol2col", KernelClass::convolution},
    {"scudnn", KernelClass::convolution},
    {"1688cudnn", KernelClass::convolution},
    {"884cudnn", KernelClass::convolution},
    {"computeoffsets", KernelClass::convolution},
    {"fft2d", KernelClass::convolution},

    {"triton_poi", KernelClass::elementwise},
    {"triton_red", KernelClass::reduction},
    {"triton_per", KernelClass::reduction},

    {"gemm", KernelClass::product},
    {"gemv", KernelClass::product},
    {"nvjet", KernelClass::product},
    {"triton_tem", KernelClass::product},
    {"triton_mm", KernelClass::product},
    {"matmul", KernelClass::product},

    {"embedding_backward", KernelClass::reduction},
    {"compute_grad_weight", KernelClass::reduction},
    {"sum_and_scatter", KernelClass::reduction},
    {"reduce", KernelClass::reduction},
    {"softmax", KernelClass::reduction},
    {"nll_loss", KernelClass::reduction},
    {"cross_entropy", KernelClass::reduction},
    {"argmax", KernelClass::reduction},
    {"devicescan", KernelClass::reduction},
    {"cumsum", KernelClass::reduction},
    {"scan_", KernelClass::reduction},
    {"dot_kernel", KernelClass::reduction},
    {"finish_bias", KernelClass::reduction},

    {"catarray", KernelClass::copy},
    {"copy", KernelClass::copy},
    {"memset", KernelClass::copy},
    {"transpose", KernelClass::copy},
    {"indexselect", KernelClass::copy},
    {"index_select", KernelClass::copy},
    {"index_elementwise", KernelClass::copy},
    {"indexing", KernelClass::copy},
    {"index_put", KernelClass::copy},
    {"gather", KernelClass::copy},
    {"scatter", KernelClass::copy},
    {"embedding", KernelClass::copy},

    {"pool", KernelClass::elementwise},
    {"elementwise", KernelClass::elementwise},
    {"pointwise", KernelClass::elementwise},
    {"dropout", KernelClass::elementwise},
    {"upsample", KernelClass::elementwise},
    {"fill", KernelClass::elementwise},
    {"distribution", KernelClass::elementwise},
    {"relu", KernelClass::elementwise},
    {"gelu", KernelClass::elementwise},
    {"optensor", KernelClass::elementwise},
    {"op_tensor", KernelClass::elementwise},
    {"op_generic_tensor", KernelClass::elementwise},
    {"bias_act", KernelClass::elementwise},
    {"addbias", KernelClass::elementwise},
    {"scaletensor", KernelClass::elementwise},
    {"scalepackedtensor", KernelClass::elementwise},
    {"triu_tril", KernelClass::elementwise},
    {"loop_", KernelClass::elementwise},  // XLA's loop fusions

    {"cutlass", KernelClass::product},
    {"xmma", KernelClass::product},
    {"magma", KernelClass::product},
    {"cublas", KernelClass::product},
});

constexpr auto kNormalisations =
    std::to_array<std::string_view>({"native_batch_norm", "batch_norm", "native_layer_norm",
                                     "layer_norm", "rms_norm", "native_group_norm", "group_norm"});
constexpr auto kTensorCoreParts = std::to_array<std::string_view>(
    {"tensorop", "tensor16x8", "tensor8x8",  "tensor64x",   "xmma",     "hmma",  "imma",  "wgmma",
     "nvjet",    "1688",       "16816",      "s884",        "h884",     "i8816", "flash", "fmha",
     "tf32",     "bf16",       "triton_tem", "ampere_fp16", "ampere_h", "fp16_s"});
constexpr auto kPlainParts =
    std::to_array<std::string_view>({"simt", "ffma", "gemv", "winogradforward", "splitkreduce",
                                     "computeoffsets", "gemmk1", "gemmsn"});
constexpr auto kBackwardParts = std::to_array<std::string_view>(
    {"backward", "bprop", "dgrad", "wgrad", "bwd", "bn_bw", "_grad", "grad_", "grad_input",
     "gradinput", "gammabeta", "internalgradients", "_back"});

// Removes the arguments, whose types could match a part.
std::string_view without_arguments(std::string_view name) {
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i == 0 ? name : name.substr(0, i);
  }
  return name;
}

std::string lower(std::string_view name) {
  std::string text(without_arguments(name));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <std::size_t N>
bool contains_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return contains(text, part); });
}

KernelClass class_of_lower(std::string_view text) {
  // Inductor names a kernel after all operators that it fused, so the prefix decides first.
  const bool triton_reduction = text.starts_with("triton_red") || text.starts_with("triton_per");
  if (triton_reduction) {
    return contains_any(text, kNormalisations) ? KernelClass::normalisation
                                               : KernelClass::reduction;
  }
  if (text.starts_with("triton_poi")) return KernelClass::elementwise;
  // torch's template comes before the functor it applies.
  if (contains(text, "reduce_kernel<") && !contains(text, "splitk")) return KernelClass::reduction;
  for (const Word& word : kWords) {
    if (contains(text, word.part)) return word.kind;
  }
  // Tacho's own accuracy kernel, "count"; too short a name to match anywhere else.
  if (contains(text, "kernels") && contains(text, "count")) return KernelClass::reduction;
  return KernelClass::other;
}

}  // namespace

KernelClass class_of_kernel(std::string_view name) { return class_of_lower(lower(name)); }

bool uses_tensor_cores(std::string_view name) {
  const std::string text = lower(name);
  const KernelClass kind = class_of_lower(text);
  if (kind != KernelClass::convolution && kind != KernelClass::product) return false;
  if (contains_any(text, kPlainParts)) return false;
  if (contains_any(text, kTensorCoreParts)) return true;
  // cuDNN's persistent RNNs use tensor cores for half, but not for float.
  return contains(text, "rnn_") && contains(text, "__half");
}

bool is_backward_kernel(std::string_view name) { return contains_any(lower(name), kBackwardParts); }

bool changes_layout(std::string_view name) {
  const std::string text = lower(name);
  return (contains(text, "nchw") && contains(text, "nhwc") &&
          class_of_lower(text) == KernelClass::copy) ||
         contains(text, "nhwctofoldednhwc");
}

}  // namespace tacho
