#pragma once

#include <span>
#include <string>
#include <vector>

#include "predict/speed/own_speed.h"
#include "predict/speed/training_job.h"

namespace tacho {

// A configuration that was predicted without it and its likes.
struct HeldOutRun {
  const OwnExample* example = nullptr;
  std::string group;     // what was held out: "resnet50", "resnet50 half", "resnet50 half, ends"
  double error = 0;      // log(measured / predicted)
  double deviation = 0;  // before calibration
};

// Holds out whole models, which refits the rates too; all runs of a model with one format; or
// batches: of each model and format each between the smallest and the largest, then all of these,
// then the smallest, then the largest.
Result<std::vector<HeldOutRun>> hold_out(std::span<const OwnExample> examples, OwnNovelty novelty,
                                         const OwnLayers& layers, const GpuCatalog& gpus);

// Returns the factor for deviations with which 90 % are within, at least 1.
double stretch_of(std::span<const HeldOutRun> held_out);

struct OwnSpeedScore {
  std::string held_out;  // "single batches", …, "whole model", "GPU, published figures"
  std::size_t count = 0;
  std::size_t abstained = 0;
  double median_error = 0;  // |predicted − measured| / measured speed
  double worst_error = 0;
  double coverage = 0;  // of the 90 % intervals, calibrated on the other groups
};
Result<std::vector<OwnSpeedScore>> evaluate_own_speed(std::span<const OwnExample> examples,
                                                      std::span<const MeasuredJob> published,
                                                      const OwnLayers& layers,
                                                      const GpuCatalog& gpus);

}  // namespace tacho
