#include "learn/curve_constants.h"

namespace tacho {

std::vector<CurveConstants> curve_candidates() {
  std::vector<CurveConstants> candidates;
  for (const double reach : {0.5, 1.0, 2.0}) {
    for (const double noise : {0.5, 1.0, 2.0}) {
      for (const double kept : {0.0, 0.25, 0.5}) {
        for (const double believed : {0.25, 0.5, 0.75}) {
          candidates.push_back({{0.8 * reach, 1, 0.8 * reach, 0.015 * noise, kept},
                                {1.5 * reach, 1, reach, 0.025 * noise, kept},
                                believed});
        }
      }
    }
  }
  return candidates;
}

}  // namespace tacho
