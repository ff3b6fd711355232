#pragma once

namespace tacho {

// Scales by which a known curve loses weight: differences of its settings, in logarithms, and of
// its points.
struct Closeness {
  double batch;
  double samples;
  double rate;
  double noise;
  double offset_kept;  // share of the last points' distance from the known curve
  bool operator==(const Closeness&) const = default;
};

// Constants of the curve predictor that are not fitted. best_constants() in evaluate_curves.h
// chooses them by cross-validation over tasks.
struct CurveConstants {
  Closeness with_schedule{
      .batch = 0.8, .samples = 1, .rate = 0.8, .noise = 0.03, .offset_kept = 0.5};
  // Without a schedule, the stretch compensates for most differences.
  Closeness without{.batch = 3, .samples = 1, .rate = 2, .noise = 0.025, .offset_kept = 0.25};
  // Share of the stretch expected from steps times rate that is used before any point is seen.
  double stretch_weight = 0.25;
  bool operator==(const CurveConstants&) const = default;
};

}  // namespace tacho
