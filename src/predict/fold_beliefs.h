#pragma once

#include <vector>

#include "predict/learning_set.h"
#include "predict/neighbours.h"
#include "predict/split.h"

namespace tacho {

// What is believed of a fold's hidden lessons, in their order, by who knows the others alone.
struct FoldBeliefs {
  std::vector<CodedPoint> asked;
  std::vector<Belief> beliefs;
};
Result<FoldBeliefs> believe_fold(const std::vector<Lesson>& lessons, const Fold& fold,
                                 std::size_t threads);

}  // namespace tacho
