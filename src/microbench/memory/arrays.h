#pragma once

// Input and output of the memory benchmark: three arrays of numbers and an index. The numbers are
// multiples of 1/8 from -1 to 1, so that sums and means of four are exact in fp32 in any order.

#include <cstdint>
#include <vector>

#include "microbench/memory/form.h"
#include "microbench/memory/pages.h"
#include "microbench/memory/team.h"

namespace tacho::bandwidth {

float value_of_a(std::int64_t i);
float value_of_b(std::int64_t i);

// Returns element i of a fixed pseudorandom permutation of 0…count-1.
std::uint32_t shuffled(std::uint32_t i, std::uint32_t count);

class Arrays {
 public:
  // Each thread of `team` initializes the part that it will work on (first touch).
  static Result<Arrays> make(std::int64_t elements, PageKind pages, Team& team);

  [[nodiscard]] std::int64_t elements() const { return elements_; }
  // Splits the first `elements` among `threads`.
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

// Returns the number of columns of the matrices: rows of 32 KiB for transpose and stencil, a stride
// that is bad for caches; of 4 KiB for normalise, which fit in the L1 cache.
std::int64_t columns_of(Operation operation);

}  // namespace tacho::bandwidth
