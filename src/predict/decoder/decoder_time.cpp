#include "predict/decoder/decoder_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacho {
namespace {

// Peak of an A100. The choice of the reference changes the meaning of the shares, not predictions.
constexpr double kReferenceFlops = 312e12;

constexpr double kHighestMatrixShare = 0.95;
// Published MFU counts the masked half of the scores, but not that the backward pass computes them
// again: 6 products per 3.5. At this share it is 1.
constexpr double kHighestAttentionShare = 3.5 / 6;

// PCIe per generation, in one direction.
double pcie_bytes_per_s(const GpuSpec& gpu) { return 16e9 * std::pow(2, gpu.pcie_generation - 3); }

}  // namespace

const EfficiencyPrior& efficiency_prior() {
  static const EfficiencyPrior prior{
      .mean = {{std::log(0.75), 0.25, std::log(200.), std::log(1000.), std::log(0.5), 0.25,
                std::log(0.6), std::log(0.3), std::log(5e-6), std::log(0.7), 0, 0, 0}},
      .deviation = {{0.3, 0.25, 1, 1, 0.4, 0.25, 0.4, 1, 1, 0.3, 0.5, 0.5, 0.5}}};
  return prior;
}

DecoderWork work_of(const DecoderJob& job, const GpuSpec& gpu) {
  // NVLink is specified as the sum of both directions.
  const double peers =
      gpu.peers == Peers::nvlink ? gpu.nvlink_gb_per_s * 1e9 / 2 : pcie_bytes_per_s(gpu);
  return {.operations = operations(job),
          .tokens = job.tokens(),
          .width = job.shape.width,
          .fp8 = job.precision == DecoderPrecision::fp8,
          .flops_per_s = peak_flops(gpu, DecoderPrecision::bf16),
          .log_peak = std::log(peak_flops(gpu, DecoderPrecision::bf16) / kReferenceFlops),
          .memory_bytes_per_s = gpu.memory_gb_per_s * 1e9,
          .peer_bytes_per_s = peers,
          .network_bytes_per_s = job.network_gbps * 1e9 / 8};
}

DecoderClock::DecoderClock(const Efficiencies& learned) : learned_(learned), factor_{} {
  std::ranges::transform(learned, factor_.begin(), [](double value) { return std::exp(value); });
}

DecoderTimes DecoderClock::times(const DecoderWork& work) const {
  // The share of the peak that a GPU reaches falls with its peak.
  const auto share = [&](Efficiency of, Efficiency exponent, double highest) {
    return std::min(highest, factor_[of] * std::exp(-learned_[exponent] * work.log_peak));
  };
  const double narrow = 1 + factor_[Efficiency::half_width] / work.width;
  const double few = 1 + factor_[Efficiency::half_tokens] / work.tokens;
  const double matrices =
      share(Efficiency::matrices, Efficiency::matrices_peak, kHighestMatrixShare) / (narrow * few) *
      work.flops_per_s;
  const double attention =
      share(Efficiency::attention, Efficiency::attention_peak, kHighestAttentionShare) *
      work.flops_per_s;
  const double fp8 = work.fp8 ? std::min(2., 2 * factor_[Efficiency::fp8]) : 1;
  const double bandwidth = work.memory_bytes_per_s * std::min(0.95, factor_[Efficiency::bandwidth]);

  DecoderTimes seconds{};
  const auto roofline = [&](OperationClass kind, double flops_per_s) {
    const DecoderOperation& operation = work.operations[kind];
    seconds[kind] =
        std::max(operation.flops / flops_per_s, operation.memory_bytes / work.memory_bytes_per_s);
  };
  roofline(OperationClass::block_matrices, matrices * fp8);
  roofline(OperationClass::attention, attention);
  roofline(OperationClass::head, matrices);
  for (const OperationClass kind : {OperationClass::elementwise, OperationClass::optimizer}) {
    seconds[kind] = work.operations[kind].memory_bytes / bandwidth;
  }
  const double computing = total_seconds(seconds);
  const DecoderOperation& collective = work.operations[OperationClass::collective];
  const double line = collective.peer_bytes / work.peer_bytes_per_s +
                      collective.network_bytes / work.network_bytes_per_s;
  // Computation hides a part, but not more than it takes itself.
  const double exposed =
      std::max(line * std::min(1., factor_[Efficiency::exposed]), line - computing);
  seconds[OperationClass::collective] =
      exposed + collective.hops * factor_[Efficiency::hop_seconds];
  if (work.software != DecoderSoftware::decoders) {
    const auto number = static_cast<std::size_t>(work.software) - 1;
    const double slower = factor_[static_cast<std::size_t>(Efficiency::software_1) + number];
    for (double& of_a_class : seconds) of_a_class *= slower;
  }
  return seconds;
}

DecoderTimes times(const DecoderWork& work, const Efficiencies& learned) {
  return DecoderClock(learned).times(work);
}

double total_seconds(const DecoderTimes& times) {
  return std::accumulate(times.begin(), times.end(), 0.0);
}

double least_seconds(const DecoderWork& work) {
  double flops = 0;
  double bytes = 0;
  for (const DecoderOperation& operation : work.operations) {
    flops += operation.flops;
    bytes += operation.memory_bytes;
  }
  const DecoderOperation& blocks = work.operations[OperationClass::block_matrices];
  if (work.fp8) flops -= blocks.flops / 2;
  const DecoderOperation& collective = work.operations[OperationClass::collective];
  return std::max({flops / work.flops_per_s, bytes / work.memory_bytes_per_s,
                   collective.network_bytes / work.network_bytes_per_s,
                   collective.peer_bytes / work.peer_bytes_per_s});
}

}  // namespace tacho
