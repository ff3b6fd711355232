#include "tracing/report/roofline.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace tacho {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

// From the vendor's data sheets: peak rates at boost clock without sparsity (which doubles the
// printed tensor rates of Ampere and later), and nominal memory bandwidth. For consumer cards, bf16
// is the half rate with fp32 accumulation. Special cases come before the general row.
constexpr std::array kTable = {
    GpuCeilings{"B200", 75 * kTera, 1125 * kTera, 2250 * kTera, 2250 * kTera, 7700 * kGiga},
    GpuCeilings{"GH200", 66.9 * kTera, 495 * kTera, 989 * kTera, 989 * kTera, 4000 * kGiga},
    GpuCeilings{"H200", 66.9 * kTera, 495 * kTera, 989 * kTera, 989 * kTera, 4800 * kGiga},
    GpuCeilings{"H100 PCIe", 51.2 * kTera, 378 * kTera, 756 * kTera, 756 * kTera, 2000 * kGiga},
    GpuCeilings{"H100 NVL", 60 * kTera, 417 * kTera, 835 * kTera, 835 * kTera, 3938 * kGiga},
    GpuCeilings{"H100", 66.9 * kTera, 495 * kTera, 989 * kTera, 989 * kTera, 3350 * kGiga},
    GpuCeilings{"A100 SXM4 80GB", 19.5 * kTera, 156 * kTera, 312 * kTera, 312 * kTera,
                2039 * kGiga},
    GpuCeilings{"A100 80GB", 19.5 * kTera, 156 * kTera, 312 * kTera, 312 * kTera, 1935 * kGiga},
    GpuCeilings{"A100", 19.5 * kTera, 156 * kTera, 312 * kTera, 312 * kTera, 1555 * kGiga},
    GpuCeilings{"A30", 10.3 * kTera, 82 * kTera, 165 * kTera, 165 * kTera, 933 * kGiga},
    GpuCeilings{"A40", 37.4 * kTera, 74.8 * kTera, 149.7 * kTera, 149.7 * kTera, 696 * kGiga},
    GpuCeilings{"A10", 31.2 * kTera, 62.5 * kTera, 125 * kTera, 125 * kTera, 600 * kGiga},
    GpuCeilings{"A10G", 35 * kTera, 35 * kTera, 70 * kTera, 70 * kTera, 600 * kGiga},
    GpuCeilings{"A6000", 38.7 * kTera, 77.4 * kTera, 154.8 * kTera, 154.8 * kTera, 768 * kGiga},
    GpuCeilings{"L4", 30.3 * kTera, 60 * kTera, 121 * kTera, 121 * kTera, 300 * kGiga},
    GpuCeilings{"L40S", 91.6 * kTera, 183 * kTera, 362 * kTera, 362 * kTera, 864 * kGiga},
    GpuCeilings{"L40", 90.5 * kTera, 90.5 * kTera, 181 * kTera, 181 * kTera, 864 * kGiga},
    GpuCeilings{"RTX 5090", 104.8 * kTera, 104.8 * kTera, 209.5 * kTera, 209.5 * kTera,
                1792 * kGiga},
    GpuCeilings{"RTX 4090", 82.6 * kTera, 82.6 * kTera, 165.2 * kTera, 165.2 * kTera, 1008 * kGiga},
    GpuCeilings{"RTX 3090", 35.6 * kTera, 35.6 * kTera, 71 * kTera, 71 * kTera, 936 * kGiga},
    GpuCeilings{"V100S", 16.4 * kTera, 0, 130 * kTera, 0, 1134 * kGiga},
    GpuCeilings{"V100 PCIE", 14 * kTera, 0, 112 * kTera, 0, 900 * kGiga},
    GpuCeilings{"V100", 15.7 * kTera, 0, 125 * kTera, 0, 900 * kGiga},
    GpuCeilings{"T4", 8.1 * kTera, 0, 65 * kTera, 0, 320 * kGiga},
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ' || c == '-') {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return words;
}

KernelClass class_of_operator(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("conv")) return KernelClass::convolution;
  if (has("mm") || has("linear") || has("attention")) return KernelClass::product;
  if (has("norm")) return KernelClass::normalisation;
  if (has("sum") || has("mean") || has("pool") || has("softmax")) return KernelClass::reduction;
  if (has("copy") || has("cat")) return KernelClass::copy;
  return KernelClass::elementwise;
}

struct Work {
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
};

RooflinePoint point_of(const Roofline& roof, std::string name, const Work& work) {
  RooflinePoint point{.name = std::move(name), .seconds = work.seconds};
  point.flops_per_s = work.flops / work.seconds;
  point.bytes_per_s = work.bytes / work.seconds;
  point.intensity = work.bytes > 0 ? work.flops / work.bytes : 0;
  const double flops_share = point.flops_per_s / roof.peak_flops;
  const double bytes_share = point.bytes_per_s / roof.peak_bytes_per_s;
  point.by_memory = bytes_share >= flops_share;
  point.reached = std::max(flops_share, bytes_share);
  return point;
}

void sort_by_time(Roofline& roof) {
  std::stable_sort(
      roof.points.begin(), roof.points.end(),
      [](const RooflinePoint& a, const RooflinePoint& b) { return a.seconds > b.seconds; });
}

}  // namespace

const GpuCeilings* find_ceilings(std::string_view gpu) {
  const auto have = words_of(gpu);
  for (const GpuCeilings& row : kTable) {
    const auto wanted = words_of(row.words);
    const bool all = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
      return std::find(have.begin(), have.end(), word) != have.end();
    });
    if (all) return &row;
  }
  return nullptr;
}

std::optional<Roofline> roofline_of(const OpTrace& ops) {
  if (ops.peak_flops <= 0 || ops.peak_bytes_per_s <= 0 || ops.step_s.empty()) return std::nullopt;
  Roofline roof{.machine = "this machine's matrix product and copy",
                .peak_flops = ops.peak_flops,
                .peak_bytes_per_s = ops.peak_bytes_per_s,
                .points = {}};
  const auto steps = static_cast<double>(ops.step_s.size());
  std::map<std::string, Work> by_name;
  for (const OpRow& row : ops.rows) {
    Work& work = by_name[row.name];
    work.seconds += row.self_s / steps;
    work.flops += row.flops / steps;
    work.bytes += row.bytes / steps;
  }
  for (const auto& [name, work] : by_name) {
    if (work.seconds > 0 && (work.flops > 0 || work.bytes > 0))
      roof.points.push_back(point_of(roof, name, work));
  }
  sort_by_time(roof);
  return roof;
}

std::optional<Roofline> roofline_of(const GpuFindings& gpu, const OpTrace& ops) {
  const GpuCeilings* ceilings = find_ceilings(gpu.gpu);
  if (ceilings == nullptr || ops.step_s.empty() || gpu.steps.begins_ns.empty()) return std::nullopt;
  const double fastest = std::max(
      {ceilings->fp32_flops, ceilings->tf32_flops, ceilings->fp16_flops, ceilings->bf16_flops});
  Roofline roof{.machine = gpu.gpu,
                .peak_flops = gpu.signs.tensor_core_share > 0.5 ? fastest : ceilings->fp32_flops,
                .peak_bytes_per_s = ceilings->bytes_per_s,
                .points = {}};
  std::map<KernelClass, Work> by_class;
  for (const OpRow& row : ops.rows) {
    Work& work = by_class[class_of_operator(row.name)];
    work.flops += row.flops / static_cast<double>(ops.step_s.size());
    work.bytes += row.bytes / static_cast<double>(ops.step_s.size());
  }
  for (const ClassRow& row : gpu.classes) {
    Work work = by_class[row.kind];
    work.seconds = row.seconds_per_step;
    if (work.seconds > 0 && (work.flops > 0 || work.bytes > 0))
      roof.points.push_back(point_of(roof, std::string(kKernelClasses.of(row.kind)), work));
  }
  sort_by_time(roof);
  return roof;
}

std::optional<Roofline> roofline_of(const RunFindings& run) {
  if (!run.ops) return std::nullopt;
  const GpuFindings* gpu = run.gpu();
  return gpu != nullptr ? roofline_of(*gpu, *run.ops) : roofline_of(*run.ops);
}

}  // namespace tacho
