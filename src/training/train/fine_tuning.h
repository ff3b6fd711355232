#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_spec.h"
#include "training/train/optimizer.h"

namespace tacho {

// Excludes the parameters whose names begin with one of these from training. Call before the
// optimizer is made. A beginning that fits no parameter is an error; so is freezing all of them.
Result<void> freeze(torch::nn::Module& model, const std::vector<std::string>& beginnings);

// Returns the optimizer's options of a run, with the learning rate of the model's head.
Optimizer::Options optimizer_options(const RunSpec& spec);

}  // namespace tacho
