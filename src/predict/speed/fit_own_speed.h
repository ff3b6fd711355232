#pragma once

#include <span>
#include <vector>

#include "predict/speed/own_run.h"
#include "predict/speed/own_speed.h"
#include "predict/speed/training_job.h"

namespace tacho {

// Returns the configurations of runs with Tacho's defaults on one GPU of the catalog, with a graph
// of the whole step.
std::vector<OwnExample> own_configurations(std::span<const OwnRun> runs, const GpuCatalog& gpus);

// Fits the rates to examples: least squares of logarithms, with little weight for outliers and the
// same weight for every model. Data sheets and typical launch times are the prior.
Result<RooflineRates> fit_rates(std::span<const OwnExample> examples, const OwnLayers& layers,
                                const GpuCatalog& gpus);

// Log deviation of each example from the roofline.
Result<std::vector<Residual>> residuals_of(std::span<const OwnExample> examples,
                                           const OwnLayers& layers, const GpuCatalog& gpus,
                                           const RooflineRates& rates);

// The error of carrying a published speed of one of Tacho's models from one GPU to another.
struct CarriedJob {
  std::string model;
  std::string from;
  std::string to;
  double distance = 0;  // as gpu_distance
  double error = 0;     // log(measured / predicted)
};
std::vector<CarriedJob> carry_published(std::span<const MeasuredJob> published,
                                        const OwnLayers& layers, const GpuCatalog& gpus,
                                        const RooflineRates& rates);

// Fits everything, with the same calibration that evaluate_own_speed() checks. Takes seconds.
Result<OwnFit> fit_own_speed(std::span<const OwnExample> examples,
                             std::span<const MeasuredJob> published, const OwnLayers& layers,
                             const GpuCatalog& gpus);

// Fits rates and residuals, without intervals of calibrated width.
Result<OwnFit> fit_uncalibrated(std::span<const OwnExample> examples, const OwnLayers& layers,
                                const GpuCatalog& gpus);

}  // namespace tacho
