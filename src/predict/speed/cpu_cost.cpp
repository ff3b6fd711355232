#include "predict/speed/cpu_cost.h"

#include <cmath>

namespace tacho {
namespace {

double flops_of(const LayerCost& layer, double batch) {
  return 2e9 * layer.gmacs * layer.passes * batch;
}

// GFLOP/s of a core in a layer.
double rate_in(const LayerCost& layer, const CpuMachine& machine, const CpuRates& rates) {
  switch (layer.kind) {
    case LayerKind::convolution:
      return machine.nominal_gflops * rates[CpuRate::convolution] /
             (1 + rates[CpuRate::narrow] / layer.outputs);
    case LayerKind::depthwise:
      return machine.nominal_gflops * rates[CpuRate::depthwise];
    default:
      return machine.product_gflops;
  }
}

}  // namespace

double cpu_step(const OwnNetwork& network, double batch, double cores, const CpuMachine& machine,
                const CpuRates& rates) {
  double arithmetic = 0;
  double bytes = optimizer_bytes(network);
  double launches = 0;
  for (const LayerCost& layer : network.layers) {
    if (layer.gmacs > 0) {
      arithmetic += layer.count * flops_of(layer, batch) / (1e9 * rate_in(layer, machine, rates));
    }
    bytes += layer.count * 1e6 * (layer.moved_fixed_mb + layer.moved_mb * batch);
    launches += layer.count * layer.serial;
  }
  return (arithmetic + bytes / rates[CpuRate::traffic]) / std::pow(cores, rates[CpuRate::threads]) +
         launches * rates[CpuRate::launch];
}

double shortest_cpu_step(const OwnNetwork& network, double batch, double cores,
                         const CpuMachine& machine) {
  constexpr double kHighestClock = 1.5;  // over the base clock
  double flops = 0;
  for (const LayerCost& layer : network.layers) flops += layer.count * flops_of(layer, batch);
  return flops / (1e9 * kHighestClock * machine.nominal_gflops * cores);
}

}  // namespace tacho
