#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"

namespace tacho {

// How the GPUs of a node reach each other, the slowest first.
enum class Peers {
  host,    // by copies through the host's memory: GeForce cards since Turing
  pcie,    // each other's memory, over PCIe; bridges between two of them are not counted on
  nvlink,  // each with all others
};
inline constexpr Names<Peers, 3> kPeersNames{
    "way between GPUs",
    {{{Peers::host, "host"}, {Peers::pcie, "pcie"}, {Peers::nvlink, "nvlink"}}}};

// A GPU as its data sheet has it. Rates are dense peaks.
struct GpuSpec {
  std::string name;
  std::string architecture;
  double multiprocessors = 0;
  double fp32_tflops = 0;
  double tf32_tflops = 0;  // of fp32 where there are no such units
  double half_tflops = 0;  // fp16 or bf16, with tensor units where there are any
  double memory_gb = 0;
  double memory_gb_per_s = 0;
  double nvlink_gb_per_s = 0;  // 0: none
  double pcie_generation = 3;
  Peers peers = Peers::pcie;
  double power_w = 0;
};

// By word; where there is none, by how fast NVLink is: bridges between two are slower.
Result<Peers> read_peers(std::string_view word, double nvlink_gb_per_s);

// Nothing negative, nothing absurd. `half` and `tf32` are filled in where they are 0.
Result<void> complete(GpuSpec& gpu);

// Of the same architecture, and in nothing slower: such a GPU is never predicted to be slower.
bool is_at_least(const GpuSpec& faster, const GpuSpec& slower);

class GpuCatalog {
 public:
  // gpus.csv: name, arch, sm_count, fp32_tflops, …
  static Result<GpuCatalog> parse(std::string_view csv);

  // By its name, or by an unmistakable part of it ("H100", "a100-80gb"): of several, the one
  // that most machines have. Otherwise a sentence with the nearest name.
  [[nodiscard]] Result<const GpuSpec*> find(std::string_view name) const;
  [[nodiscard]] const std::vector<GpuSpec>& all() const { return gpus_; }
  // A name that is there already is replaced.
  void add(GpuSpec gpu);

 private:
  std::vector<GpuSpec> gpus_;
};

// Accelerators that published figures name and that are no GPUs: nothing is predicted for them.
bool is_no_gpu(std::string_view name);

}  // namespace tacho
