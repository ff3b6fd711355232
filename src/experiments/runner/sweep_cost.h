#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "core/record/run_folder.h"

namespace tacho {

// Relative cost of a training: the floating-point operations of its steps, as counted by
// tacho-worker (tacho describe). It ignores memory, input and start-up, so it can order runs but
// does not predict times.
class SweepCost {
 public:
  // Returns an error if the cost is unknown: for a watched program, or data of unknown size.
  Result<double> of(const RunOrder& order);

 private:
  Result<double> operations_per_sample(const RunSpec& spec);

  std::map<std::string, double> known_;  // by model and shape of a sample
};

}  // namespace tacho
