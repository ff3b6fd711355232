#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "serving/load/rate_profile.h"

namespace tacho::load {

// The times at which requests are due, in seconds from the start, ascending. They do not depend on
// the server: the load is an open loop.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // Returns nothing at the end.
  virtual std::optional<double> next() = 0;
};

// The share of one of several threads: every `of`-th arrival, starting at `index`.
struct Lane {
  int index = 0;
  int of = 1;
};

// Spacing of arrivals at a given rate: even, or a Poisson process, as of many independent users.
enum class Spacing { even, poisson };

// Describes arrivals; each thread creates its own sequence from it.
struct ArrivalPlan {
  RateProfile profile = {};
  Spacing spacing = Spacing::even;
  std::uint64_t seed = 1;
  // Recorded times, used instead of the profile. Shared by the threads, which only read them.
  std::shared_ptr<const std::vector<double>> recorded = {};

  [[nodiscard]] double seconds() const;
  [[nodiscard]] double requests() const;
  [[nodiscard]] std::unique_ptr<Arrivals> arrivals(Lane lane) const;
};

}  // namespace tacho::load
