#pragma once

#include <vector>

#include "predict/speed/interval.h"
#include "predict/speed/learning_set.h"

namespace tacho {

// Predicts jobs whose model, family, GPU, generation, software, node count or source is held out,
// on the splits of 'tacho evaluate'. Groups have equal weights in each split, except for the square
// root of their size.
Result<std::vector<CrossValidated>> cross_validate(const std::vector<TrainingExample>& examples,
                                                   std::size_t threads);

// Returns the share of the posterior's mean with the smallest error for new families on one node,
// and applies it to the errors of such jobs: relatives say less about a family than the covariance
// assumes, because well-known models run closer to the cost model than the many rare ones.
double learn_family_share(std::vector<CrossValidated>& jobs);

}  // namespace tacho
