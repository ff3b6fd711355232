#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"

namespace tacho {

// The connection between the GPUs of a node, slowest first.
enum class Peers {
  host,    // copies through host memory: GeForce cards since Turing
  pcie,    // peer access over PCIe; bridges between two GPUs are ignored
  nvlink,  // all to all
};
inline constexpr Names<Peers, 3> kPeersNames{
    "connection between GPUs",
    {{{Peers::host, "host"}, {Peers::pcie, "pcie"}, {Peers::nvlink, "nvlink"}}}};

// Data sheet of a GPU. Rates are dense peaks.
struct GpuSpec {
  std::string name;
  std::string architecture;
  double multiprocessors = 0;
  double fp32_tflops = 0;
  double tf32_tflops = 0;  // that of fp32 without such units
  double half_tflops = 0;  // fp16 or bf16, with tensor cores if present
  double memory_gb = 0;
  double memory_gb_per_s = 0;
  double nvlink_gb_per_s = 0;  // 0: none
  double pcie_generation = 3;
  Peers peers = Peers::pcie;
  double power_w = 0;
};

// Parses a word; without one, derives it from the NVLink bandwidth: bridges between two are slower.
Result<Peers> read_peers(std::string_view word, double nvlink_gb_per_s);

// Rejects values out of range and fills in `half` and `tf32` where they are 0.
Result<void> complete(GpuSpec& gpu);

// Architectures before Ampere support neither.
bool has_bf16_and_tf32(const GpuSpec& gpu);

// True for GPUs of the same architecture that are slower in nothing: `faster` is never predicted to
// be slower.
bool is_at_least(const GpuSpec& faster, const GpuSpec& slower);

class GpuCatalog {
 public:
  // gpus.csv: name, arch, sm_count, fp32_tflops, …
  static Result<GpuCatalog> parse(std::string_view csv);

  // Finds a GPU by its name or an unambiguous part of it ("H100", "a100-80gb"); of several, the
  // most common one. An error suggests the nearest name.
  [[nodiscard]] Result<const GpuSpec*> find(std::string_view name) const;
  [[nodiscard]] const std::vector<GpuSpec>& all() const { return gpus_; }
  // Replaces a GPU of the same name.
  void add(GpuSpec gpu);

 private:
  std::vector<GpuSpec> gpus_;
};

// Accelerators in published figures that are not GPUs: nothing is predicted for them.
bool is_no_gpu(std::string_view name);

}  // namespace tacho
