#pragma once

#include <string>

#include "core/record/run_spec.h"
#include "training/train/models/layer_variants.h"

// Chooses the kernels for the compositions of models/layers.h on a GPU: Tacho's, torch's, or the
// faster one for each shape.
namespace tacho::kernel_choice {

void set(KernelKind kind);

// Returns whether to use Tacho's kernels. With automatic choice both are timed the first time,
// forward and backward, on copies of the inputs and without advancing torch's random state.
bool takes_ours(const LayerVariants& variants, const Tensors& inputs);

// Returns whether only torch's kernels may be used.
bool torch_only();

// Describes the choices so far in one line; empty if there were none.
std::string summary();

}  // namespace tacho::kernel_choice
