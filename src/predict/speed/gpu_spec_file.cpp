#include "predict/speed/gpu_spec_file.h"

#include <fmt/format.h>

#include <optional>

#include "base/yaml_object.h"

namespace tacho {

Result<GpuSpec> read_gpu_spec(std::string_view text, std::string_view file) {
  TACHO_TRY(root, parse_yaml(text, file));
  YamlObject object(root, file);
  GpuSpec gpu;
  std::optional<double> multiprocessors;
  std::optional<double> fp32;
  std::optional<double> tf32;
  std::optional<double> half;
  std::optional<double> memory;
  std::optional<double> bandwidth;
  std::optional<double> nvlink;
  std::optional<double> pcie;
  std::optional<double> power;
  std::string peers_word;
  object.read("name", gpu.name);
  object.read("architecture", gpu.architecture);
  object.read("multiprocessors", multiprocessors);
  object.read("fp32_tflops", fp32);
  object.read("tf32_tflops", tf32);
  object.read("half_tflops", half);
  object.read("memory_gb", memory);
  object.read("memory_gb_per_s", bandwidth);
  object.read("nvlink_gb_per_s", nvlink);
  object.read("pcie_generation", pcie);
  object.read("peers", peers_word);
  object.read("power_w", power);
  TACHO_CHECK(object.finish());
  const auto needed = [&](std::string_view key) {
    return Error{ErrorCode::usage, fmt::format("{}: '{}' is missing", file, key)};
  };
  if (gpu.name.empty()) return needed("name");
  if (!multiprocessors) return needed("multiprocessors");
  if (!fp32) return needed("fp32_tflops");
  if (!memory) return needed("memory_gb");
  if (!bandwidth) return needed("memory_gb_per_s");
  gpu.multiprocessors = *multiprocessors;
  gpu.fp32_tflops = *fp32;
  gpu.tf32_tflops = tf32.value_or(0);
  gpu.half_tflops = half.value_or(0);
  gpu.memory_gb = *memory;
  gpu.memory_gb_per_s = *bandwidth;
  gpu.nvlink_gb_per_s = nvlink.value_or(0);
  gpu.pcie_generation = pcie.value_or(4);
  TACHO_TRY(peers, read_peers(peers_word, gpu.nvlink_gb_per_s).in(file));
  gpu.peers = peers;
  gpu.power_w = power.value_or(0);
  TACHO_CHECK(complete(gpu).in(file));
  return gpu;
}

}  // namespace tacho
