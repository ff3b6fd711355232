#pragma once

#include <span>
#include <string>
#include <vector>

#include "predict/speed/cpu_catalog.h"
#include "predict/speed/cpu_speed.h"
#include "predict/speed/evaluate_own_speed.h"

namespace tacho {

// A configuration that was measured on a CPU.
struct CpuExample {
  OwnRun run;                   // the first of the repetitions
  std::vector<double> seconds;  // of each
  std::string machine;          // "Neoverse-N1, 2 cores"
  CpuMachine rate;              // the measured rate of its products
  OwnNetwork network;
};
Result<std::vector<CpuExample>> cpu_examples(std::span<const OwnRun> runs, const OwnLayers& layers,
                                             const CpuCatalog& cpus);

// Rates and deviations of models; no intervals yet.
Result<CpuFit> fit_cpu_rates(std::span<const CpuExample> examples);

// The same with intervals, from groups of examples that were held out.
Result<CpuFit> fit_cpu(std::span<const CpuExample> examples, const OwnLayers& layers);

// Held-out models, machines, …; the interval of each group is calibrated on the others.
Result<std::vector<OwnSpeedScore>> evaluate_cpu(std::span<const CpuExample> examples,
                                                const OwnLayers& layers);

}  // namespace tacho
