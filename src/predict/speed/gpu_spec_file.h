#pragma once

#include <string_view>

#include "predict/speed/gpu_catalog.h"

namespace tacho {

// Reads the data sheet of a GPU that is not in the catalog, in YAML:
//   name: B300
//   architecture: Blackwell
//   multiprocessors: 160
//   fp32_tflops: 80
// tf32_tflops: 1200        # default: that of fp32
// half_tflops: 2400        # default: that of fp32
//   memory_gb: 288
//   memory_gb_per_s: 8000
// nvlink_gb_per_s: 1800    # default: none
// pcie_generation: 5       # default: 4
// peers: nvlink            # nvlink, pcie or host (no peer access); default: by NVLink bandwidth
// power_w: 1200            # default: 300
Result<GpuSpec> read_gpu_spec(std::string_view text, std::string_view file);

}  // namespace tacho
