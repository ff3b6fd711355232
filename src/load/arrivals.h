#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "load/rate_profile.h"

namespace tacho::load {

// When requests are due, in seconds from the start, ascending. What the server does has no
// influence on it: that makes the load an open one.
class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // Nothing at the end.
  virtual std::optional<double> next() = 0;
};

// Of several threads each takes its share: the arrivals that are `index` of every `of`.
struct Lane {
  int index = 0;
  int of = 1;
};

// How arrivals lie within what a profile asks for: evenly, or as those of many people who know
// nothing of each other.
enum class Spacing { even, poisson };

// A description of arrivals from which every thread makes its own.
struct ArrivalPlan {
  RateProfile profile = {};
  Spacing spacing = Spacing::even;
  std::uint64_t seed = 1;
  // Instead of a profile: recorded moments. Shared by the threads, which only read them.
  std::shared_ptr<const std::vector<double>> recorded = {};

  [[nodiscard]] double seconds() const;
  [[nodiscard]] double requests() const;
  [[nodiscard]] std::unique_ptr<Arrivals> arrivals(Lane lane) const;
};

}  // namespace tacho::load
