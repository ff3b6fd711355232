#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "predict/learning_set.h"
#include "predict/speed_model.h"

namespace tacho {

// What script/tune-likeness starts from, as JSON: terms and shapes as they stand, the lessons that
// would be learned from, and what is believed of some of them when the others alone are known. The
// script computes these beliefs again before it tunes anything, so it cannot drift from Neighbours.
Result<std::string> likeness_text(std::vector<Lesson> lessons, const SpeedModel::Effort& effort);

}  // namespace tacho
