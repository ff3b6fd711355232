#pragma once

#include <string_view>

#include "predict/gpu_catalog.h"

namespace tacho {

// A GPU that is in no catalogue, by its data sheet, in YAML:
//   name: B300
//   architecture: Blackwell
//   multiprocessors: 160
//   fp32_tflops: 80
//   tf32_tflops: 1200        # left out: as fp32
//   half_tflops: 2400        # left out: as fp32
//   memory_gb: 288
//   memory_gb_per_s: 8000
//   nvlink_gb_per_s: 1800    # left out: none
//   pcie_generation: 5       # left out: 4
//   peers: nvlink            # nvlink, pcie or host (no peer access); left out: by NVLink's speed
//   power_w: 1200            # left out: 300
Result<GpuSpec> read_gpu_spec(std::string_view text, std::string_view file);

}  // namespace tacho
