#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "base/names.h"
#include "predict/speed/cost_model.h"
#include "predict/speed/model_costs.h"
#include "predict/speed/software_stack.h"
#include "predict/speed/training_job.h"

namespace tacho {

// Properties that two jobs may have in common.
enum class Label : std::uint8_t {
  model,
  model_line,
  layers,
  stack,
  release,
  framework,
  precision,
  layout,
  gpu,
  architecture,
  data_kind,
  input_shape,
  family,
  model_kin,
};
inline constexpr std::size_t kLabels = 14;
inline constexpr Names<Label, kLabels> kLabelNames{"label",
                                                   {{{Label::model, "model"},
                                                     {Label::model_line, "model_line"},
                                                     {Label::layers, "layers"},
                                                     {Label::stack, "stack"},
                                                     {Label::release, "release"},
                                                     {Label::framework, "framework"},
                                                     {Label::precision, "precision"},
                                                     {Label::layout, "layout"},
                                                     {Label::gpu, "gpu"},
                                                     {Label::architecture, "architecture"},
                                                     {Label::data_kind, "data_kind"},
                                                     {Label::input_shape, "input_shape"},
                                                     {Label::family, "family"},
                                                     {Label::model_kin, "model_kin"}}}};

// Distances between jobs: logarithms, mostly of ratios, so that they also apply to new hardware.
enum class Measure : std::uint8_t {
  batch,
  gmacs,
  activations_per_mac,
  params_per_mac,
  peak,
  bandwidth_per_peak,
  multiprocessors,
  compute_per_memory,
  launch_share,
  optimizer_share,
  gpus_per_node,
  nodes,
  exchange_share,
  power_per_peak,
  generation,
  half_per_full,  // ratio of the peaks: the speed-up by tensor cores
};
inline constexpr std::size_t kMeasures = 16;
inline constexpr Names<Measure, kMeasures> kMeasureNames{
    "measure",
    {{{Measure::batch, "batch"},
      {Measure::gmacs, "gmacs"},
      {Measure::activations_per_mac, "activations_per_mac"},
      {Measure::params_per_mac, "params_per_mac"},
      {Measure::peak, "peak"},
      {Measure::bandwidth_per_peak, "bandwidth_per_peak"},
      {Measure::multiprocessors, "multiprocessors"},
      {Measure::compute_per_memory, "compute_per_memory"},
      {Measure::launch_share, "launch_share"},
      {Measure::optimizer_share, "optimizer_share"},
      {Measure::gpus_per_node, "gpus_per_node"},
      {Measure::nodes, "nodes"},
      {Measure::exchange_share, "exchange_share"},
      {Measure::power_per_peak, "power_per_peak"},
      {Measure::generation, "generation"},
      {Measure::half_per_full, "half_per_full"}}}};

// A job with everything that is compared.
struct JobPoint {
  EnumArray<Label, std::string, kLabels> labels;
  EnumArray<Measure, float, kMeasures> measures{};
  bool cost_known = false;
  bool batch_known = true;
  double batch = 1;  // in the unit of its speed …
  double units = 1;  // … of which a batch element has this many
  double gpus = 1;
  double log_modelled_step = 0;  // in seconds, by the cost model
  StepTime modelled;
  double memory_gb = 0;
};

class PointMaker {
 public:
  PointMaker(const GpuCatalog& gpus, const ModelCosts& costs) : gpus_(gpus), costs_(costs) {}
  // The GPU must be in the catalog.
  [[nodiscard]] JobPoint of(const TrainingJob& job) const;
  // The same job on another GPU.
  [[nodiscard]] JobPoint of(const TrainingJob& job, const GpuSpec& gpu) const;

 private:
  const GpuCatalog& gpus_;
  const ModelCosts& costs_;
};

}  // namespace tacho
