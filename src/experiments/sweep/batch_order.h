#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/record/configuration.h"

namespace tacho {

// Decides which runs of a sweep must wait for others. A run is skipped if the same configuration
// with a smaller batch runs out of memory, so it waits while such a run is active, unless that
// batch or a larger one is already known to fit.
class BatchOrder {
 public:
  [[nodiscard]] bool must_wait(const Configuration& configuration) const;
  void start(const Configuration& configuration);
  // `fits`: the run produced a result and did not run out of memory.
  void end(const Configuration& configuration, bool fits);

 private:
  struct Family {
    std::multiset<std::int64_t> running = {};  // batch sizes
    std::int64_t fits = 0;                     // the largest batch known to fit
  };
  std::map<std::string, Family> families_;  // by memory_family()
};

}  // namespace tacho
