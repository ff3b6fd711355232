#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tacho {

inline double square(double value) { return value * value; }

// A small symmetric matrix, stored by row.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size) : size_(size), cells_(size * size) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  double& at(std::size_t row, std::size_t column) { return cells_[row * size_ + column]; }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return cells_[row * size_ + column];
  }
  // Adds weight · v vᵀ.
  void add_outer(const std::vector<double>& v, double weight);

 private:
  std::size_t size_;
  std::vector<double> cells_;
};

// A Cholesky factorization; of() returns nothing if the matrix is not positive definite.
class SymmetricFactor {
 public:
  static std::optional<SymmetricFactor> of(const SymmetricMatrix& matrix);

  [[nodiscard]] std::vector<double> solve(std::vector<double> right) const;
  // vᵀ A⁻¹ v
  [[nodiscard]] double inverse_form(const std::vector<double>& v) const;
  // L⁻¹ v, where A = L Lᵀ
  [[nodiscard]] std::vector<double> forward(std::vector<double> right) const;
  [[nodiscard]] double log_determinant() const;

 private:
  explicit SymmetricFactor(SymmetricMatrix lower) : lower_(std::move(lower)) {}

  SymmetricMatrix lower_;
};

}  // namespace tacho
