#pragma once

#include <utility>
#include <vector>

#include "predict/job_point.h"

namespace tacho {

// Measures, each with the distance over which what two jobs share fades.
using LikenessShape = std::vector<std::pair<Measure, float>>;

// A part of the cost model's error that jobs of the same labels have in common.
struct LikenessTerm {
  std::vector<Label> labels;
  int shape = -1;        // which of the shapes it fades with; -1: none
  double deviation = 0;  // of the logarithm of a step's time
  bool unknown_cost = false;
};

std::vector<LikenessShape> likeness_shapes();
std::vector<LikenessTerm> likeness_terms();

}  // namespace tacho
