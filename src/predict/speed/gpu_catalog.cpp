#include "predict/speed/gpu_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/csv_records.h"
#include "base/nearest.h"
#include "predict/speed/csv_columns.h"

namespace tacho {
namespace {

constexpr std::string_view kPeersColumn = "peers";  // optional

// Common names and their meaning.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kCommonNames = {
    {{"h100", "H100-SXM5-80GB"},
     {"h200", "H200-SXM-141GB"},
     {"b200", "B200-192GB"},
     {"gh200", "GH200-96GB"},
     {"a100", "A100-SXM4-80GB"},
     {"a100-40gb", "A100-SXM4-40GB"},
     {"a100-80gb", "A100-SXM4-80GB"},
     {"v100", "V100-SXM2-16GB"},
     {"v100-16gb", "V100-SXM2-16GB"},
     {"v100-32gb", "V100-SXM2-32GB"},
     {"p100", "P100-PCIE-16GB"},
     {"h100-pcie", "H100-PCIE-80GB"},
     {"h100-sxm", "H100-SXM5-80GB"},
     {"h100-nvl", "H100-NVL-94GB"},
     {"v100s", "V100S-PCIE-32GB"},
     {"a6000", "RTX-A6000"}}};

// Keeps letters and digits only: "RTX 3090", "rtx-3090" and "RTX3090" are equal.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      out += c;
    }
  }
  for (const std::string_view maker : {"nvidia", "geforce", "tesla"}) {
    if (out.starts_with(maker)) out.erase(0, maker.size());
  }
  return out;
}

Error out_of_range(const GpuSpec& gpu, std::string_view what, double value) {
  return {ErrorCode::usage,
          fmt::format("GPU '{}': {} of {:g} is out of range", gpu.name, what, value)};
}

Result<GpuSpec> read_gpu(const CsvColumns& row) {
  GpuSpec gpu;
  gpu.name = row.text("name");
  gpu.architecture = row.text("arch");
  TACHO_TRY(sm, row.number("sm_count"));
  TACHO_TRY(fp32, row.number("fp32_tflops"));
  TACHO_TRY(tf32, row.number("tf32_tflops"));
  TACHO_TRY(half, row.number("fp16_tensor_tflops"));
  TACHO_TRY(memory, row.number("mem_gb"));
  TACHO_TRY(bandwidth, row.number("mem_bw_gbs"));
  TACHO_TRY(nvlink, row.number("nvlink_gbs"));
  TACHO_TRY(pcie, row.number("pcie_gen"));
  TACHO_TRY(power, row.number("tdp_w"));
  gpu.multiprocessors = sm.value_or(0);
  gpu.fp32_tflops = fp32.value_or(0);
  gpu.tf32_tflops = tf32.value_or(0);
  gpu.half_tflops = half.value_or(0);
  gpu.memory_gb = memory.value_or(0);
  gpu.memory_gb_per_s = bandwidth.value_or(0);
  gpu.nvlink_gb_per_s = nvlink.value_or(0);
  gpu.pcie_generation = pcie.value_or(3);
  gpu.power_w = power.value_or(0);
  TACHO_TRY(peers,
            read_peers(row.has(kPeersColumn) ? row.text(kPeersColumn) : "", gpu.nvlink_gb_per_s));
  gpu.peers = peers;
  TACHO_CHECK(complete(gpu));
  return gpu;
}

}  // namespace

Result<Peers> read_peers(std::string_view word, double nvlink_gb_per_s) {
  if (!word.empty()) return kPeersNames.parse(word);
  return nvlink_gb_per_s >= 150 ? Peers::nvlink : Peers::pcie;
}

Result<void> complete(GpuSpec& gpu) {
  if (gpu.tf32_tflops == 0) gpu.tf32_tflops = gpu.fp32_tflops;
  if (gpu.half_tflops == 0) gpu.half_tflops = gpu.fp32_tflops;
  if (gpu.power_w == 0) gpu.power_w = 300;
  const auto within = [](double value, double low, double high) {
    return value >= low && value <= high;
  };
  if (!within(gpu.multiprocessors, 1, 2000)) {
    return out_of_range(gpu, "number of multiprocessors", gpu.multiprocessors);
  }
  if (!within(gpu.fp32_tflops, 0.1, 5000)) return out_of_range(gpu, "fp32 rate", gpu.fp32_tflops);
  if (!within(gpu.tf32_tflops, 0.1, 50000)) return out_of_range(gpu, "tf32 rate", gpu.tf32_tflops);
  if (!within(gpu.half_tflops, 0.1, 50000)) return out_of_range(gpu, "fp16 rate", gpu.half_tflops);
  if (!within(gpu.memory_gb, 0.5, 5000)) return out_of_range(gpu, "memory", gpu.memory_gb);
  if (!within(gpu.memory_gb_per_s, 5, 100000)) {
    return out_of_range(gpu, "memory bandwidth", gpu.memory_gb_per_s);
  }
  if (!within(gpu.nvlink_gb_per_s, 0, 100000)) {
    return out_of_range(gpu, "NVLink bandwidth", gpu.nvlink_gb_per_s);
  }
  if (gpu.peers == Peers::nvlink && gpu.nvlink_gb_per_s == 0) {
    return out_of_range(gpu, "NVLink bandwidth", 0);
  }
  if (!within(gpu.pcie_generation, 1, 9)) {
    return out_of_range(gpu, "PCIe generation", gpu.pcie_generation);
  }
  if (!within(gpu.power_w, 5, 20000)) return out_of_range(gpu, "power", gpu.power_w);
  return {};
}

bool has_bf16_and_tf32(const GpuSpec& gpu) {
  constexpr std::array<std::string_view, 5> kBefore = {"Kepler", "Maxwell", "Pascal", "Volta",
                                                       "Turing"};
  return std::ranges::find(kBefore, gpu.architecture) == kBefore.end();
}

bool is_at_least(const GpuSpec& faster, const GpuSpec& slower) {
  return faster.architecture == slower.architecture && faster.fp32_tflops >= slower.fp32_tflops &&
         faster.tf32_tflops >= slower.tf32_tflops && faster.half_tflops >= slower.half_tflops &&
         faster.memory_gb_per_s >= slower.memory_gb_per_s &&
         faster.multiprocessors >= slower.multiprocessors &&
         faster.nvlink_gb_per_s >= slower.nvlink_gb_per_s &&
         faster.pcie_generation >= slower.pcie_generation && faster.peers >= slower.peers;
}

Result<GpuCatalog> GpuCatalog::parse(std::string_view csv) {
  std::vector<std::string_view> columns = {
      "name",   "arch",       "sm_count",   "fp32_tflops", "tf32_tflops", "fp16_tensor_tflops",
      "mem_gb", "mem_bw_gbs", "nvlink_gbs", "pcie_gen",    "tdp_w"};
  TACHO_TRY(records, read_csv(csv));
  if (std::ranges::find(records.headings, kPeersColumn) != records.headings.end()) {
    columns.push_back(kPeersColumn);
  }
  TACHO_TRY(places, column_places(records, columns));
  GpuCatalog catalog;
  for (const CsvRecord& record : records.rows) {
    const CsvColumns row(record, columns, places);
    TACHO_TRY(gpu, read_gpu(row).in(fmt::format("line {}", record.line)));
    catalog.add(std::move(gpu));
  }
  return catalog;
}

void GpuCatalog::add(GpuSpec gpu) {
  const auto same = std::ranges::find(gpus_, gpu.name, &GpuSpec::name);
  if (same != gpus_.end()) {
    *same = std::move(gpu);
  } else {
    gpus_.push_back(std::move(gpu));
  }
}

Result<const GpuSpec*> GpuCatalog::find(std::string_view name) const {
  const std::string wanted = plain(name);
  std::string_view meant = name;
  for (const auto& [common_name, meaning] : kCommonNames) {
    if (plain(common_name) == wanted) meant = meaning;
  }
  for (const GpuSpec& gpu : gpus_) {
    if (gpu.name == meant || (!wanted.empty() && plain(gpu.name) == wanted)) return &gpu;
  }
  std::vector<std::string_view> names;
  for (const GpuSpec& gpu : gpus_) names.emplace_back(gpu.name);
  return Error{ErrorCode::usage, unknown_name("GPU", name, names)};
}

bool is_no_gpu(std::string_view name) { return name.starts_with("TPU") || name.starts_with("CPU"); }

}  // namespace tacho
