#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace tacho {

// The lower triangle L of a symmetric positive definite matrix A = L·Lᵀ, in rows. What stands
// above the diagonal is neither read nor written.
class Cholesky {
 public:
  // `matrix` is size × size, in rows; its lower triangle becomes L. Fails where it is not positive
  // definite. Takes about size³/3 multiply-adds, on `threads` threads.
  static Result<Cholesky> factor(std::vector<double> matrix, std::size_t size, std::size_t threads);

  [[nodiscard]] std::size_t size() const { return size_; }
  // x with A·x = b.
  [[nodiscard]] std::vector<double> solve(std::vector<double> b) const;
  // L⁻¹·b in place, for b's part of the first b.size() rows.
  void solve_lower(std::span<double> b) const;

 private:
  Cholesky(std::vector<double> lower, std::size_t size) : lower_(std::move(lower)), size_(size) {}

  std::vector<double> lower_;
  std::size_t size_;
};

}  // namespace tacho
