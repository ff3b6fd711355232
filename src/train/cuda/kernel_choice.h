#pragma once

#include <string>

#include "record/run_spec.h"
#include "train/models/ways.h"

// Which kernels the compositions of models/layers.h take on a GPU: Tacho's, torch's, or for each
// shape the faster of the two.
namespace tacho::kernel_choice {

void set(KernelKind kind);

// Whether Tacho's way is to be taken. Where that is to be found out, both are timed the first time,
// forward and back, with copies of the inputs and without a trace in torch's random numbers.
bool takes_ours(const Ways& ways, const Tensors& inputs);

// Whether nothing but torch's kernels are wanted.
bool torch_only();

// What was found out so far, in a line; empty: nothing was to be.
std::string summary();

}  // namespace tacho::kernel_choice
