#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace tacho {

// The lower triangle L of a symmetric positive definite matrix A = L·Lᵀ, stored by row. Elements
// above the diagonal are neither read nor written.
class Cholesky {
 public:
  // `matrix` is size × size, stored by row; its lower triangle becomes L. Fails if it is not
  // positive definite. Needs about size³/3 multiply-adds, on `threads` threads.
  static Result<Cholesky> factor(std::vector<double> matrix, std::size_t size, std::size_t threads);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double diagonal(std::size_t i) const { return lower_[i * size_ + i]; }
  // Returns x with A·x = b.
  [[nodiscard]] std::vector<double> solve(std::vector<double> b) const;
  // Computes L⁻¹·b in place, for the first b.size() rows.
  void solve_lower(std::span<double> b) const;

 private:
  Cholesky(std::vector<double> lower, std::size_t size) : lower_(std::move(lower)), size_(size) {}

  std::vector<double> lower_;
  std::size_t size_;
};

}  // namespace tacho
