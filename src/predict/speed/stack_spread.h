#pragma once

#include <map>
#include <span>
#include <string>

#include "predict/speed/interval.h"

namespace tacho {

// Some software has larger errors than its uncertainty suggests, for example clusters with unknown
// hosts and networks. This factor widens their intervals without widening all others. There are
// separate factors for known and new models and GPUs, and for several GPUs.
class StackSpread {
 public:
  static StackSpread learn(std::span<const CrossValidated> cross_validated);
  static StackSpread known(std::map<std::string, double> factors);

  // Returns the factor for the deviation; 1 for software that was not cross-validated.
  [[nodiscard]] double of(const Novelty& novelty, const std::string& stack, bool one_gpu) const;
  [[nodiscard]] const std::map<std::string, double>& factors() const { return factors_; }

 private:
  std::map<std::string, double> factors_;
};

}  // namespace tacho
