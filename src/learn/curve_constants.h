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
  double offset_kept;  // of what the last points lie above the known curve
  bool operator==(const Closeness&) const = default;
};

// What the forecaster of curves does not learn by itself. Chosen among curve_candidates() as
// best_constants() of evaluate_curves.h tells it, which scores by whole tasks left out.
struct CurveConstants {
  Closeness with_schedule{
      .batch = 0.8, .samples = 1, .rate = 0.8, .noise = 0.03, .offset_kept = 0.5};
  // Without a schedule, the stretch makes up for most of a difference.
  Closeness without{.batch = 3, .samples = 1, .rate = 2, .noise = 0.025, .offset_kept = 0.25};
  // How much of the stretch that steps times rate ask for is believed before a point is seen.
  double stretch_believed = 0.25;
  bool operator==(const CurveConstants&) const = default;
};

std::vector<CurveConstants> curve_candidates();

}  // namespace tacho
