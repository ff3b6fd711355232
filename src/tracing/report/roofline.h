#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/op_trace.h"
#include "tracing/report/run_findings.h"
#include "tracing/trace/gpu_findings.h"

namespace tacho {

// Peak rates of a GPU for dense products, without sparsity. 0: not supported.
struct GpuCeilings {
  std::string_view words;  // all occur in the driver's name for it: "A100 80GB PCIe"
  double fp32_flops = 0;   // outside the tensor cores
  double tf32_flops = 0;
  double fp16_flops = 0;
  double bf16_flops = 0;
  double bytes_per_s = 0;
};
// Finds a GPU by the name that its driver reports; nullptr if it is not in the table.
const GpuCeilings* find_ceilings(std::string_view gpu);

// One operator or kernel class compared with the machine's peaks: no point can be above
// min(peak_flops, intensity × peak_bytes_per_s).
struct RooflinePoint {
  std::string name;
  double seconds = 0;  // per step
  double flops_per_s = 0;
  double bytes_per_s = 0;
  double intensity = 0;    // FLOPs per byte
  bool by_memory = false;  // memory bandwidth is the limit
  double reached = 0;      // share of that limit
};

struct Roofline {
  std::string machine;
  double peak_flops = 0;
  double peak_bytes_per_s = 0;
  std::vector<RooflinePoint> points;  // by time, longest first
};

// Compares operators on the CPU with the peaks that were measured in the same run. Returns nullopt
// without such peaks.
std::optional<Roofline> roofline_of(const OpTrace& ops);

// Compares kernel classes with the GPU's peaks: their time comes from the GPU trace, their FLOPs
// and bytes from the operators. Returns nullopt without both, or for a GPU not in the table.
std::optional<Roofline> roofline_of(const GpuFindings& gpu, const OpTrace& ops);

// Uses the GPU trace if the run has one, else the operators alone.
std::optional<Roofline> roofline_of(const RunFindings& run);

}  // namespace tacho
