#include "learn/curve_constants.h"

namespace tacho {

std::vector<CurveConstants> curve_candidates() {
  std::vector<CurveConstants> candidates;
  for (const double reach : {0.5, 1.0, 2.0}) {
    for (const double noise : {0.5, 1.0, 2.0}) {
      for (const double kept : {0.0, 0.25, 0.5}) {
        for (const double believed : {0.25, 0.5, 0.75}) {
          CurveConstants one;
          for (Closeness* each : {&one.with_schedule, &one.without}) {
            each->batch *= reach;
            each->rate *= reach;
            each->noise *= noise;
          }
          one.offset_kept = kept;
          one.stretch_believed = believed;
          candidates.push_back(one);
        }
      }
    }
  }
  return candidates;
}

}  // namespace tacho
