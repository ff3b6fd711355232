#include "experiments/sweep/batch_order.h"

#include <algorithm>

#include "experiments/sweep/would_fit.h"

namespace tacho {

bool BatchOrder::must_wait(const Configuration& configuration) const {
  const auto batch = batch_of(configuration);
  if (!batch) return false;
  const auto found = families_.find(memory_family(configuration));
  if (found == families_.end()) return false;
  const auto& [running, fits] = found->second;
  const auto smaller = running.upper_bound(fits);
  return smaller != running.end() && *smaller < *batch;
}

void BatchOrder::start(const Configuration& configuration) {
  if (const auto batch = batch_of(configuration)) {
    families_[memory_family(configuration)].running.insert(*batch);
  }
}

void BatchOrder::end(const Configuration& configuration, bool fits) {
  const auto batch = batch_of(configuration);
  if (!batch) return;
  Family& family = families_[memory_family(configuration)];
  if (const auto one = family.running.find(*batch); one != family.running.end()) {
    family.running.erase(one);
  }
  if (fits) family.fits = std::max(family.fits, *batch);
}

}  // namespace tacho
