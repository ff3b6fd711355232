#pragma once

#include <vector>

namespace tacho {

// What makes a known curve count less: how far its setting may lie away, in logarithms, and its
// points.
struct Closeness {
  double batch;
  double samples;
  double rate;
  double noise;
};

// What the forecaster of curves does not learn by itself. Chosen from curve_candidates() by whole
// tasks (see evaluate_curves); what stands here is the best for all tasks together.
struct CurveConstants {
  Closeness with_schedule{.batch = 0.8, .samples = 1, .rate = 0.8, .noise = 0.015};
  // Without a schedule, the stretch makes up for most of a difference, and single points are
  // rougher.
  Closeness without{.batch = 1.5, .samples = 1, .rate = 1, .noise = 0.025};
  double offset_kept = 0.25;  // of what the last points lie above a known curve
  // How much of the stretch that steps times rate ask for is believed before a point is seen.
  double stretch_believed = 0.5;
};

// What there is to choose from: every constant less and more than it is.
std::vector<CurveConstants> curve_candidates();

}  // namespace tacho
