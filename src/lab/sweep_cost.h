#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "record/run_folder.h"

namespace tacho {

// What a training costs compared with others: the floating-point operations of its steps, as
// tacho-worker counts them in the model (tacho describe). Memory, input and start-up are left out,
// so it orders runs and is no time.
class SweepCost {
 public:
  // An error where it cannot be told: a watched program, or data of which nobody says how much
  // there is.
  Result<double> of(const RunOrder& order);

 private:
  Result<double> operations_a_sample(const RunSpec& spec);

  std::map<std::string, double> known_;  // by model and sample
};

}  // namespace tacho
