#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "microbench/memory/form.h"

namespace tacho::bandwidth {

// Compares the result of a form with a simple computation at some places. Call poison() before the
// pass, so that places that were not written are detected.
class Answer {
 public:
  // `whole` is any of the form's parts, `elements` the size of each array, and `places` the number
  // of places to check (all if there are fewer).
  Answer(const Form& form, const Part& whole, std::int64_t elements, std::int64_t places);

  void poison();
  // Call after one pass. `sum` is the total of all parts of a reduction.
  Result<void> check(double sum) const;

 private:
  [[nodiscard]] double expected(std::int64_t place) const;

  const Form& form_;
  Part whole_;
  std::int64_t elements_;
  std::vector<std::int64_t> places_;  // in c
  std::vector<double> wanted_;
};

}  // namespace tacho::bandwidth
