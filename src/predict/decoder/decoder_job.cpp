#include "predict/decoder/decoder_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tacho {
namespace {

bool has_fp8(const GpuSpec& gpu) {
  constexpr std::array<std::string_view, 3> kWithFp8 = {"Ada", "Hopper", "Blackwell"};
  return std::ranges::find(kWithFp8, gpu.architecture) != kWithFp8.end();
}

bool has_bf16(const GpuSpec& gpu) {
  constexpr std::array<std::string_view, 5> kWithout = {"Kepler", "Maxwell", "Pascal", "Volta",
                                                        "Turing"};
  return std::ranges::find(kWithout, gpu.architecture) == kWithout.end();
}

Result<void> whole_number(std::string_view option, double value, double most) {
  if (value >= 1 && value <= most && value == std::floor(value)) return {};
  return Error{ErrorCode::usage,
               fmt::format("{} must be a whole number between 1 and {:.0f}", option, most)};
}

}  // namespace

Result<void> check(const DecoderJob& job, const GpuSpec& gpu) {
  TACHO_CHECK(check(job.shape));
  TACHO_CHECK(whole_number("--sequence", job.sequence, 1 << 24));
  TACHO_CHECK(whole_number("--batch", job.micro_batch, 1e6));
  TACHO_CHECK(whole_number("--accumulate", job.accumulate, 1e6));
  TACHO_CHECK(whole_number("--num-gpus", job.num_gpus, 1e6));
  TACHO_CHECK(whole_number("--num-nodes", job.num_nodes, 1e6));
  if (std::fmod(job.num_gpus, job.num_nodes) != 0) {
    return Error{ErrorCode::usage,
                 fmt::format("--num-gpus {:.0f} is not a multiple of --num-nodes {:.0f}",
                             job.num_gpus, job.num_nodes)};
  }
  if (!(job.network_gbps >= 0.1 && job.network_gbps <= 1e6)) {
    return Error{ErrorCode::usage, "--network must be between 0.1 and 1000000 Gbit/s"};
  }
  if (job.precision == DecoderPrecision::bf16 && !has_bf16(gpu)) {
    return Error{ErrorCode::usage, fmt::format("{} has no bf16; use --precision fp16", gpu.name)};
  }
  if (job.precision == DecoderPrecision::fp8 && !has_fp8(gpu)) {
    return Error{ErrorCode::usage, fmt::format("{} has no fp8; use --precision bf16", gpu.name)};
  }
  return {};
}

double usual_network_gbps(const GpuSpec& gpu) {
  // One adapter per GPU in machines with NVLink between all GPUs: 200 Gbit/s with A100, 400 since
  // H100. Other machines share one.
  if (gpu.peers != Peers::nvlink) return 100;
  return gpu.nvlink_gb_per_s >= 900 ? 3200 : gpu.nvlink_gb_per_s >= 600 ? 1600 : 100;
}

double peak_flops(const GpuSpec& gpu, DecoderPrecision precision) {
  return gpu.half_tflops * 1e12 * (precision == DecoderPrecision::fp8 ? 2 : 1);
}

double model_flops_per_token(const DecoderJob& job) {
  const DecoderModel& shape = job.shape;
  // An embedding that is not the output layer, too, is only looked up.
  const double looked_up = shape.tied ? 0 : shape.vocabulary * shape.width;
  return 6 * (parameters(shape, job.sequence) - looked_up) +
         12 * shape.layers * shape.width * job.sequence;
}

}  // namespace tacho
