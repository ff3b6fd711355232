#include "predict/accuracy/dense.h"

#include <cmath>

namespace tacho {

void SymmetricMatrix::add_outer(const std::vector<double>& v, double weight) {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) at(i, j) += weight * v[i] * v[j];
  }
}

std::optional<SymmetricFactor> SymmetricFactor::of(const SymmetricMatrix& matrix) {
  const std::size_t n = matrix.size();
  SymmetricMatrix lower(n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double rest = matrix.at(row, column);
      for (std::size_t k = 0; k < column; ++k) rest -= lower.at(row, k) * lower.at(column, k);
      if (row != column) {
        lower.at(row, column) = rest / lower.at(column, column);
      } else if (rest > 0 && std::isfinite(rest)) {
        lower.at(row, row) = std::sqrt(rest);
      } else {
        return std::nullopt;
      }
    }
  }
  return SymmetricFactor(std::move(lower));
}

std::vector<double> SymmetricFactor::forward(std::vector<double> right) const {
  for (std::size_t i = 0; i < lower_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= lower_.at(i, k) * right[k];
    right[i] /= lower_.at(i, i);
  }
  return right;
}

std::vector<double> SymmetricFactor::solve(std::vector<double> right) const {
  right = forward(std::move(right));
  for (std::size_t i = lower_.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < lower_.size(); ++k) right[i] -= lower_.at(k, i) * right[k];
    right[i] /= lower_.at(i, i);
  }
  return right;
}

double SymmetricFactor::inverse_form(const std::vector<double>& v) const {
  double sum = 0;
  for (const double value : forward(v)) sum += value * value;
  return sum;
}

double SymmetricFactor::log_determinant() const {
  double sum = 0;
  for (std::size_t i = 0; i < lower_.size(); ++i) sum += 2 * std::log(lower_.at(i, i));
  return sum;
}

}  // namespace tacho
