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

}  // namespace tacho
