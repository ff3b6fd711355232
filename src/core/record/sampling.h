#pragma once

#include <cstdint>

namespace tacho {

// How a token is chosen among those that a language model finds likely.
struct Sampling {
  double temperature = 0.8;  // 0: always the most likely token
  std::int64_t top_k = 0;    // draw from the most likely ones; 0: from all
  double top_p = 1;          // draw from the most likely ones that have this probability together
  std::int64_t seed = 0;
};

}  // namespace tacho
