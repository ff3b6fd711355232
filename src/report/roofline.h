#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/op_trace.h"
#include "report/run_findings.h"
#include "trace/gpu_findings.h"

namespace tacho {

// What a GPU does at most: dense products, no sparsity. 0 where it has no such path.
struct GpuCeilings {
  std::string_view words;  // that a driver's name for it holds, all of them: "A100 80GB PCIe"
  double fp32_flops = 0;   // outside the tensor cores
  double tf32_flops = 0;
  double fp16_flops = 0;
  double bf16_flops = 0;
  double bytes_per_s = 0;
};
// By the name its driver gives it; nullptr where the table does not know it.
const GpuCeilings* find_ceilings(std::string_view gpu);

// One kind of work held against the machine: no point can lie above
// min(peak_flops, intensity × peak_bytes_per_s).
struct RooflinePoint {
  std::string name;
  double seconds = 0;  // a step
  double flops_per_s = 0;
  double bytes_per_s = 0;
  double intensity = 0;    // FLOPs a byte
  bool by_memory = false;  // the roof above it is the memory's
  double reached = 0;      // of that roof
};

struct Roofline {
  std::string machine;
  double peak_flops = 0;
  double peak_bytes_per_s = 0;
  std::vector<RooflinePoint> points;  // the most time first
};

// Of operators on the CPU, against the peaks that were measured beside them. Nothing where they
// were not.
std::optional<Roofline> roofline_of(const OpTrace& ops);

// Of the classes of kernels: their time is the GPU's, their work what the operators say it was.
// Nothing without both, or for a GPU without known ceilings.
std::optional<Roofline> roofline_of(const GpuFindings& gpu, const OpTrace& ops);

// The one of these that the run has the figures for.
std::optional<Roofline> roofline_of(const RunFindings& run);

}  // namespace tacho
