#include "predict/speed/covariance_terms.h"

namespace tacho {

// script/tune-covariance fitted lengths and deviations together, by the gradient of the likelihood
// (with Student's tails) and of the relative error for held-out GPUs, models, both, numbers of
// nodes and software of the published figures. Negligible terms were removed. Shape 13 and its term
// were added by hand later. After a change, run script/fit and increase kVersion in
// speed_model_file.cpp.

std::vector<CovarianceShape> covariance_shapes() {
  using enum Measure;
  return {
      // 0: the bottleneck, on a GPU of this speed
      {{compute_per_memory, 0.79F}, {launch_share, 3.7F}, {params_per_mac, 0.75F}, {peak, 0.57F}},
      // 1: the work
      {{batch, 3.1F}, {gmacs, 2.4F}, {params_per_mac, 0.78F}},
      // 2: the GPU
      {{power_per_peak, 1.7F}, {multiprocessors, 1.3F}, {peak, 15.0F}, {generation, 15.0F}},
      // 3: the optimizer's share
      {{optimizer_share, 1.7F}},
      // 4: number of nodes and their exchange
      {{nodes, 1.6F}, {exchange_share, 1.1F}},
      // 5: the batch
      {{batch, 15.0F}},
      // 6: GPUs per node, exactly
      {{gpus_per_node, 0.13F}, {exchange_share, 0.41F}, {nodes, 3.1F}},
      // 7: GPUs per node and their exchange
      {{gpus_per_node, 0.32F}, {exchange_share, 3.4F}, {batch, 15.0F}},
      // 8: the model's shape
      {{params_per_mac, 1.1F}, {gmacs, 2.5F}},
      // 9: the model's shape, on this generation
      {{gmacs, 3.5F}, {activations_per_mac, 1.9F}, {generation, 0.72F}},
      // 10: the model's shape and the bottleneck
      {{params_per_mac, 1.2F}, {compute_per_memory, 1.9F}},
      // 11: GPUs per node and the bottleneck
      {{gpus_per_node, 0.92F}, {compute_per_memory, 1.1F}, {batch, 2.0F}},
      // 12: the bottleneck and the batch
      {{compute_per_memory, 8.0F}, {batch, 1.4F}},
      // 13: the speed-up by tensor cores
      {{half_per_full, 0.35F}},
  };
}

std::vector<CovarianceTerm> covariance_terms() {
  using enum Label;
  return {
      {{}, -1, 0.917},
      {{release, precision}, -1, 0.073},
      {{layout, model_line}, -1, 0.083},
      {{model_line}, -1, 0.054},
      {{model_kin}, -1, 0.038},
      {{architecture, stack, precision}, -1, 0.031},
      {{architecture, model, stack}, -1, 0.020},
      {{gpu, model, stack}, -1, 0.009},
      {{family}, -1, 0.010},
      {{model}, -1, 0.895, true},
      {{model, stack}, -1, 0.185, true},
      {{model, gpu, stack}, -1, 0.019, true},
      {{model, gpu}, -1, 0.055, true},
      {{}, 0, 0.087},
      {{family, stack}, 1, 0.087},
      {{model_line}, 1, 0.009},
      {{model_kin, precision, layout}, 1, 0.039},
      {{framework}, 1, 0.141},
      {{}, 2, 0.215},
      {{model}, 2, 0.164, true},
      {{architecture, precision}, 3, 0.054},
      {{stack}, 3, 0.070},
      {{gpu, stack}, 4, 0.028},
      {{model}, 5, 0.290, true},
      {{model, gpu, stack}, 5, 0.163, true},
      {{gpu, model, stack}, 5, 0.013},
      {{model, stack}, 6, 0.222, true},
      {{gpu, stack}, 6, 0.072},
      {{stack}, 7, 0.108},
      {{precision}, 8, 0.100},
      {{family}, 9, 0.187},
      {{framework, precision}, 9, 0.068},
      {{model_line}, 10, 0.145},
      {{framework}, 10, 0.096},
      {{architecture, stack}, 10, 0.034},
      {{layout}, 10, 0.023},
      {{}, 11, 0.121},
      {{architecture}, 11, 0.048},
      {{model_line, stack}, 11, 0.045},
      {{gpu, stack}, 11, 0.018},
      {{family}, 12, 0.061},
      {{precision, layout}, 12, 0.010},
      {{family}, 13, 0.080},
  };
}

}  // namespace tacho
