#pragma once

// The one door to PyTorch: everything in src/train includes this, and what differs between the
// releases Tacho builds against (1.13 from Debian, 2.x from pip) is settled here.

#include <ATen/Parallel.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <string>

namespace tacho::torch_api {

// "1.13.0", "2.11.0+cu130" is not known to C++: the header carries the bare version alone.
inline std::string version() { return TORCH_VERSION; }

inline bool mkldnn_enabled() { return at::hasMKLDNN() && at::globalContext().userEnabledMkldnn(); }
inline void enable_mkldnn(bool on) { at::globalContext().setUserEnabledMkldnn(on); }

inline at::Generator default_generator(at::DeviceType device) {
  return at::globalContext().defaultGenerator(at::Device(device, device == at::kCUDA ? 0 : -1));
}

// Whether fp32 products and convolutions on a GPU may round their factors to 10 bits.
inline void allow_tf32(bool on) {
  at::globalContext().setAllowTF32CuBLAS(on);
  at::globalContext().setAllowTF32CuDNN(on);
}

// pip's builds for x86 do; Debian's takes the system's BLAS.
inline bool carries_its_own_blas() { return at::hasMKL(); }

}  // namespace tacho::torch_api
