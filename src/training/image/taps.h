#pragma once

#include <cstdint>
#include <vector>

#include "training/image/planes.h"

namespace tacho {

// One axis of a resize: the source samples of each output sample and their shares. The filter is a
// triangle that is two source samples wide when enlarging (bilinear interpolation) and grows with
// the step when shrinking, so that every source sample counts: PIL's and torchvision's antialiased
// bilinear. It ends at the edge of the source.
struct Taps {
  static constexpr int kGroup = 4;  // shrinking to more than half takes at most four

  int outputs = 0;
  int groups = 0;                   // of kGroup taps each; surplus taps have share 0
  std::vector<std::int32_t> first;  // per output, the first source sample
  std::vector<float> shares;        // shares[tap * outputs + output]; they sum to 1

  // Output 0 begins `offset` source samples from the corner of sample 0; each is `step` wide.
  void fill(int count, double offset, double step, SampleRange source, bool reversed);
};

}  // namespace tacho
