#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "predict/speed/parts_model.h"

namespace tacho {

// The margin, in logarithms, that is added to a prediction of memory so that none of the
// cross-validated predictions is too low. A model with irregular memory has its own margin; a model
// without runs gets as many deviations as 90 % of the cross-validations needed.
class MemoryMargin {
 public:
  MemoryMargin() = default;
  explicit MemoryMargin(std::span<const PartsModel::LeftOut> cross_validated);
  [[nodiscard]] double of(std::int16_t model, double deviation) const;

 private:
  std::map<std::int16_t, double> of_models_;
  double deviations_ = 0;
};

}  // namespace tacho
