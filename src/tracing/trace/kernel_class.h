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

// Classifies kernels of cuDNN, cuBLAS, CUTLASS, NCCL, Triton, torch and Tacho by name.
KernelClass class_of_kernel(std::string_view name);

// True if the name says that the kernel uses tensor cores.
bool uses_tensor_cores(std::string_view name);

// True if the name says that the kernel computes gradients; many names do not say it.
bool is_backward_kernel(std::string_view name);

// True if the kernel converts between NCHW and NHWC.
bool changes_layout(std::string_view name);

}  // namespace tacho
