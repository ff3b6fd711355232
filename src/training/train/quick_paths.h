#pragma once

#include "core/record/event.h"

namespace tacho {

// For tests. oneDNN has fast kernels only for x86; on arm64 its reference kernels take ten times as
// long. Programs find the faster path themselves (cpu_paths.h), unit tests do not.
inline ComputePaths quick_paths() {
#ifdef __aarch64__
  return {};
#else
  return {.mkldnn_convolution = true, .mkldnn_product = true, .mkldnn_recurrent = true};
#endif
}

}  // namespace tacho
