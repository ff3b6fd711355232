#include "predict/likeness_terms.h"

namespace tacho {

// Lengths and deviations were found together, by how well jobs of hidden GPUs, models, both and
// numbers of nodes of the published figures are foretold (a likelihood with Student's tails, by its
// gradient); terms that came out next to nothing are left out.

std::vector<LikenessShape> likeness_shapes() {
  using enum Measure;
  return {
      // 0: everything
      {{compute_per_memory, 1.1F},
       {launch_share, 8.2F},
       {optimizer_share, 2.8F},
       {batch, 9.8F},
       {activations_per_mac, 1.9F},
       {params_per_mac, 7.9F},
       {peak, 0.32F},
       {bandwidth_per_peak, 1.3F}},
      // 1: what bounds it
      {{compute_per_memory, 0.74F}, {batch, 2.6F}},
      // 2: the work
      {{batch, 2.3F}, {gmacs, 12.0F}, {activations_per_mac, 3.6F}, {params_per_mac, 3.1F}},
      // 3: the GPU
      {{peak, 1.6F},
       {bandwidth_per_peak, 1.2F},
       {power_per_peak, 0.22F},
       {generation, 0.18F},
       {multiprocessors, 0.15F}},
      // 4: the GPU and the batch
      {{peak, 1.8F},
       {bandwidth_per_peak, 1.3F},
       {power_per_peak, 1.2F},
       {batch, 0.17F},
       {generation, 0.59F}},
      // 5: sizes
      {{batch, 1.8F}, {gpus, 3.8F}, {nodes, 0.17F}},
      // 6: what bounds it, and the work
      {{compute_per_memory, 4.8F},
       {launch_share, 3.3F},
       {optimizer_share, 1.8F},
       {batch, 8.2F},
       {gmacs, 6.7F}},
      // 7: the scale
      {{gpus, 2.0F}, {nodes, 5.1F}, {exchange_share, 6.5F}},
      // 8: the scale and the batch
      {{gpus, 2.1F}, {nodes, 4.1F}, {exchange_share, 2.0F}, {batch, 0.61F}},
      // 9: the batch
      {{batch, 6.6F}},
  };
}

std::vector<LikenessTerm> likeness_terms() {
  using enum Label;
  return {
      {{}, -1, 0.586},
      {{}, 0, 0.117},
      {{}, 3, 0.033},
      {{precision}, -1, 0.021},
      {{precision}, 3, 0.043},
      {{stack, precision}, -1, 0.023},
      {{stack}, -1, 0.057},
      {{release}, -1, 0.101},
      {{release, precision}, -1, 0.022},
      {{framework, precision}, -1, 0.030},
      {{layout, precision}, -1, 0.037},
      {{stack}, 1, 0.039},
      {{stack}, 3, 0.029},
      {{stack, precision, layout}, 2, 0.216},
      {{layout, model_line}, -1, 0.111},
      {{family}, -1, 0.042},
      {{family, stack}, -1, 0.028},
      {{family}, 1, 0.210},
      {{family, precision}, 3, 0.025},
      {{family, stack}, 2, 0.030},
      {{model}, -1, 0.014},
      {{model, input_shape}, -1, 0.073},
      {{model, stack}, -1, 0.012},
      {{model, stack, precision}, 4, 0.033},
      {{model, stack}, 5, 0.081},
      {{model, stack}, 9, 0.012},
      {{model, stack}, 3, 0.015},
      {{gpu, model, stack}, -1, 0.015},
      {{gpu, model, stack}, 9, 0.015},
      {{model_line}, -1, 0.199},
      {{model_stem}, -1, 0.018},
      {{model_line}, 2, 0.039},
      {{model_stem, precision, layout}, 2, 0.020},
      {{gpu}, -1, 0.014},
      {{gpu, precision}, -1, 0.014},
      {{architecture, precision}, -1, 0.017},
      {{architecture, stack, precision}, -1, 0.033},
      {{architecture, model, stack}, -1, 0.014},
      {{gpu, stack}, -1, 0.036},
      {{gpu, stack, precision}, 1, 0.021},
      {{gpu, stack}, 1, 0.016},
      {{architecture, precision}, 6, 0.064},
      {{architecture, stack}, 1, 0.030},
      {{}, 7, 0.025},
      {{stack}, 7, 0.090},
      {{model, stack}, 7, 0.026},
      {{gpu, stack}, 7, 0.054},
      {{gpu, model, stack}, 8, 0.058},
      {{gpu, stack, data_kind}, -1, 0.022},
      {{model, stack}, -1, 0.575, true},
      {{model}, -1, 1.535, true},
      {{model}, 9, 0.414, true},
      {{model}, 3, 0.439, true},
      {{model_kin}, -1, 0.018},
      {{model_kin}, 2, 0.028},
      {{model_kin, precision, layout}, 2, 0.016},
      {{model_kin, stack}, 1, 0.013},
  };
}

}  // namespace tacho
