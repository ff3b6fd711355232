#pragma once

#include "record/event.h"

namespace tacho {

// For tests. oneDNN has fast kernels for x86 alone; on arm64 its reference kernels take ten times
// as long. Programs find the faster way by themselves (cpu_paths.h), tests of parts do not.
inline ComputePaths quick_paths() {
#ifdef __aarch64__
  return {};
#else
  return {.mkldnn_convolution = true, .mkldnn_product = true, .mkldnn_recurrent = true};
#endif
}

}  // namespace tacho
