#pragma once

#include <vector>

#include "predict/speed/learning_set.h"
#include "predict/speed/neighbours.h"
#include "predict/speed/split.h"

namespace tacho {

// Posteriors of a fold's held-out examples, in their order, given the other examples.
Result<std::vector<Posterior>> predict_fold(const std::vector<TrainingExample>& examples,
                                            const Fold& fold, std::size_t threads);

}  // namespace tacho
