#pragma once

#include <set>
#include <span>
#include <string>

#include "predict/speed/learning_set.h"

namespace tacho {

// Finds programs (a model with one software on one GPU) whose speed varies irregularly with the
// batch: an unknown factor such as the host or its disks limits them. On one node their jobs still
// predict each other, but not on several nodes, which wait for the slowest.
class Steadiness {
 public:
  static Steadiness learn(std::span<const TrainingExample> examples);
  static Steadiness known(std::set<std::string> jumpy);

  // Returns true if the job's program is irregular on one node and has no measurements on several.
  [[nodiscard]] bool jumps(const JobPoint& point) const;
  [[nodiscard]] const std::set<std::string>& jumpy() const { return jumpy_; }

 private:
  std::set<std::string> jumpy_;
};

}  // namespace tacho
