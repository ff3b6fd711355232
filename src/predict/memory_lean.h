#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "predict/parts_model.h"

namespace tacho {

// How far a forecast of memory leans to the high side, in logarithms, so that nothing of what was
// rehearsed would have been foretold too low. A model whose memory jumps about leans by itself; one
// that was never run, by as many deviations as nine tenths of the rehearsals asked for.
class MemoryLean {
 public:
  MemoryLean() = default;
  explicit MemoryLean(std::span<const PartsModel::LeftOut> rehearsed);
  [[nodiscard]] double of(std::int16_t model, double deviation) const;

 private:
  std::map<std::int16_t, double> of_models_;
  double deviations_ = 0;
};

}  // namespace tacho
