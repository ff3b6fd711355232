#pragma once

#include <string>

#include "experiments/compare/comparison.h"
#include "experiments/compare/simulated.h"

namespace tacho {

// For tests: bare and podman at two batch sizes; podman has a 5 % longer wall time and the same
// memory.
inline Comparison made_comparison() {
  Comparison comparison;
  comparison.title = "train mnist-cnn --data <fashion>";
  comparison.command = "tacho compare --env bare,podman -- train mnist-cnn";
  comparison.started = "2026-11-15T04:27:36.123Z";
  comparison.seed = 7;
  comparison.stopped = StopReason::repeats;
  comparison.metrics = {compared(metric::kWallS), compared(metric::kPeakMemory),
                        compared(metric::kTop1)};
  std::int64_t order = 0;
  for (const std::string group : {"batch 32", "batch 64"}) {
    const std::size_t base = comparison.variants.size();
    comparison.variants.push_back({"bare", group, ""});
    comparison.variants.push_back({"podman", group, "sha256:1f"});
    SimulatedMachine machine(base + 3, Noise::skewed, 0.01, 0.01);
    for (std::int64_t block = 0; block <= 12; ++block) {
      Group pair = simulated(machine, 1, 1.05);
      for (const std::size_t place : block_order(2, block, 7)) {
        const double seconds = (place == 0 ? pair.first : pair.second).values.front();
        comparison.runs.push_back({base + place,
                                   block,
                                   order++,
                                   block == kWarmUpBlock,
                                   "run-" + std::to_string(order),
                                   {{"wall_s", 4 * seconds}, {"peak_memory", 3e8}}});
      }
    }
  }
  comparison.notes = {"block 3 of podman failed once: \"killed\" & repeated"};
  comparison.tables = {{"Kernels", {"kernel", "bare", "podman"}, {{"sgemm<128>", "12", "12"}}}};
  judge(comparison);
  return comparison;
}

}  // namespace tacho
