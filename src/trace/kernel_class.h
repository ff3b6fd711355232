#pragma once

#include <string_view>

#include "base/names.h"

namespace tacho {

enum class KernelClass {
  convolution,
  product,
  normalisation,
  elementwise,
  reduction,
  copy,
  communication,
  optimizer,
  other,
};
inline constexpr Names<KernelClass, 9> kKernelClasses{
    "kernel class",
    {{{KernelClass::convolution, "convolution"},
      {KernelClass::product, "matrix product"},
      {KernelClass::normalisation, "normalisation"},
      {KernelClass::elementwise, "elementwise"},
      {KernelClass::reduction, "reduction"},
      {KernelClass::copy, "copy"},
      {KernelClass::communication, "communication"},
      {KernelClass::optimizer, "optimizer"},
      {KernelClass::other, "other"}}}};

// What a kernel does, by the names that cuDNN, cuBLAS, CUTLASS, NCCL, Triton and torch give them.
KernelClass class_of_kernel(std::string_view name);

// Whether it computes on tensor cores, as far as its name tells.
bool uses_tensor_cores(std::string_view name);

// Whether it computes gradients, as far as its name tells: many do not tell.
bool is_backward_kernel(std::string_view name);

// Whether it turns NCHW into NHWC or back.
bool changes_layout(std::string_view name);

}  // namespace tacho
