#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "predict/speed/learning_set.h"
#include "predict/speed/speed_model.h"

namespace tacho {

// Returns the input of script/tune-covariance as JSON: the current terms and shapes, the training
// examples, and the posteriors of some of them given only the others. The script computes these
// posteriors again before it tunes anything, which ensures that it agrees with Neighbours.
Result<std::string> covariance_text(std::vector<TrainingExample> examples,
                                    const SpeedModel::Effort& effort);

}  // namespace tacho
