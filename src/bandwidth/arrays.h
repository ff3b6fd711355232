#pragma once

// What the lab works on: three arrays of numbers and an index. The numbers are eighths from -1 to
// 1, so that every sum and mean of four is exact in fp32, in whatever order it is taken.

#include <cstdint>
#include <vector>

#include "bandwidth/form.h"
#include "bandwidth/pages.h"
#include "bandwidth/team.h"

namespace tacho::bandwidth {

float value_of_a(std::int64_t i);
float value_of_b(std::int64_t i);

// A permutation of 0…count-1 that follows no pattern; the same one every time.
std::uint32_t shuffled(std::uint32_t i, std::uint32_t count);

class Arrays {
 public:
  // Filled by the threads of `team`, each its part, as they will work on it.
  static Result<Arrays> make(std::int64_t elements, PageKind pages, Team& team);

  [[nodiscard]] std::int64_t elements() const { return elements_; }
  // What each of `threads` does of a form, over the first `elements`.
  [[nodiscard]] std::vector<Part> parts(const Form& form, std::int64_t elements, int threads) const;
  void put_in_order(Order order, Team& team);

 private:
  Arrays(std::int64_t elements, Pages a, Pages b, Pages c, Pages index, Pages spare)
      : elements_(elements),
        a_(std::move(a)),
        b_(std::move(b)),
        c_(std::move(c)),
        index_(std::move(index)),
        spare_(std::move(spare)) {}

  std::int64_t elements_;
  Order order_ = Order::none;
  Pages a_;
  Pages b_;
  Pages c_;
  Pages index_;
  Pages spare_;
};

// Columns of the matrices: rows of 32 KiB to turn and to smooth, as far apart as caches hate it;
// of 4 KiB to normalise, which a first cache holds.
std::int64_t columns_of(Operation operation);

}  // namespace tacho::bandwidth
