#pragma once

#include <map>
#include <span>
#include <string>

#include "predict/interval.h"

namespace tacho {

// Some software's jobs are foretold worse than others that seem as sure: clusters whose hosts and
// networks no figure names. How much further errors reach there than the deviation says, so that
// neither its intervals are too narrow nor everybody else's too wide. Apart for models and GPUs
// that it was seen with and for others, and for several GPUs: what one job tells of the next of its
// model, it may not tell of all.
class StackSpread {
 public:
  static StackSpread learn(std::span<const Rehearsed> rehearsed);
  static StackSpread known(std::map<std::string, double> factors);

  // For the deviation; 1 for software that was not rehearsed.
  [[nodiscard]] double of(const Setting& setting) const;
  [[nodiscard]] const std::map<std::string, double>& factors() const { return factors_; }

 private:
  std::map<std::string, double> factors_;
};

}  // namespace tacho
