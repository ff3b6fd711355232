#pragma once

#include <set>
#include <span>
#include <string>

#include "predict/learning_set.h"

namespace tacho {

// A model whose speed, with one software on one GPU, jumps from one batch to the next is bound by
// what no figure names: a host, its disks. Of one node such jobs tell of each other all the same;
// what becomes of it when nodes wait for the slowest of them, they do not tell.
class Steadiness {
 public:
  static Steadiness learn(std::span<const Lesson> lessons);
  static Steadiness known(std::set<std::string> jumpy);

  // Whether the job's program jumps on one node, and nobody measured it on several.
  [[nodiscard]] bool jumps(const JobPoint& point) const;
  [[nodiscard]] const std::set<std::string>& jumpy() const { return jumpy_; }

 private:
  std::set<std::string> jumpy_;
};

}  // namespace tacho
