#pragma once

#include <cstdint>
#include <vector>

#include "bandwidth/form.h"
#include "base/result.h"

namespace tacho::bandwidth {

// Holds what a form wrote against a plain computation, at some places of the result. Whoever
// measures poisons them first, so that a place nobody wrote is found too.
class Answer {
 public:
  // `whole`: any of the form's parts; `elements`: of each array; `places`: how many to look at, all
  // of them where that is not less than there are.
  Answer(const Form& form, const Part& whole, std::int64_t elements, std::int64_t places);

  void poison();
  // After one pass. `sum` is what the parts of a reduction add up to.
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
