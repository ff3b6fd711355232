#include "predict/speed/cholesky.h"

#include <algorithm>
#include <cmath>

#include "base/vector_widths.h"
#include "predict/speed/in_parallel.h"

namespace tacho {
namespace {

constexpr std::size_t kBlock = 64;

// Computes c −= a·bᵀ for `rows` × `columns` of c, with rows of `depth` numbers. Uses four rows of b
// at a time, so that each number of a that is read serves four sums.
TACHO_EVERY_VECTOR_WIDTH
void subtract_product(double* c, std::size_t c_stride, const double* a, const double* b,
                      std::size_t stride, std::size_t rows, std::size_t columns,
                      std::size_t depth) {
  // b transposed, so that the inner loop runs along the columns of c.
  double transposed[kBlock * kBlock];
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t k = 0; k < depth; ++k) transposed[k * kBlock + j] = b[j * stride + k];
  }
  std::size_t i = 0;
  for (; i + 4 <= rows && columns == kBlock; i += 4) {
    for (std::size_t j = 0; j < kBlock; j += 8) {
      double sum[4][8] = {};
      for (std::size_t k = 0; k < depth; ++k) {
        const double* line = transposed + k * kBlock + j;
        for (std::size_t r = 0; r < 4; ++r) {
          const double factor = a[(i + r) * stride + k];
#pragma GCC ivdep
          for (std::size_t s = 0; s < 8; ++s) sum[r][s] += factor * line[s];
        }
      }
      for (std::size_t r = 0; r < 4; ++r) {
#pragma GCC ivdep
        for (std::size_t s = 0; s < 8; ++s) c[(i + r) * c_stride + j + s] -= sum[r][s];
      }
    }
  }
  for (; i < rows; ++i) {
    for (std::size_t k = 0; k < depth; ++k) {
      const double factor = a[i * stride + k];
      for (std::size_t j = 0; j < columns; ++j)
        c[i * c_stride + j] -= factor * transposed[k * kBlock + j];
    }
  }
}

bool factor_block(double* block, std::size_t stride, std::size_t size) {
  for (std::size_t j = 0; j < size; ++j) {
    double* row = block + j * stride;
    double pivot = row[j];
    for (std::size_t k = 0; k < j; ++k) pivot -= row[k] * row[k];
    if (!(pivot > 0)) return false;
    row[j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < size; ++i) {
      double* below = block + i * stride;
      double sum = below[j];
      for (std::size_t k = 0; k < j; ++k) sum -= below[k] * row[k];
      below[j] = sum / row[j];
    }
  }
  return true;
}

// Computes rows·block⁻ᵀ in place.
void solve_rows(double* rows, std::size_t count, const double* block, std::size_t stride,
                std::size_t size) {
  for (std::size_t i = 0; i < count; ++i) {
    double* row = rows + i * stride;
    for (std::size_t j = 0; j < size; ++j) {
      const double* l = block + j * stride;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * l[k];
      row[j] = sum / l[j];
    }
  }
}

}  // namespace

Result<Cholesky> Cholesky::factor(std::vector<double> matrix, std::size_t size,
                                  std::size_t threads) {
  const std::size_t blocks = (size + kBlock - 1) / kBlock;
  const auto height = [&](std::size_t b) { return std::min(kBlock, size - b * kBlock); };
  const auto at = [&](std::size_t row, std::size_t column) {
    return matrix.data() + row * kBlock * size + column * kBlock;
  };
  for (std::size_t b = 0; b < blocks; ++b) {
    // Everything to the left is final: one pass updates this column of blocks.
    in_parallel(b, blocks, threads, [&](std::size_t i) {
      for (std::size_t k = 0; k < b; ++k) {
        subtract_product(at(i, b), size, at(i, k), at(b, k), size, height(i), height(b), kBlock);
      }
    });
    if (!factor_block(at(b, b), size, height(b))) {
      return Error{ErrorCode::invalid,
                   "the training examples contradict each other: their covariance is not positive "
                   "definite"};
    }
    in_parallel(b + 1, blocks, threads,
                [&](std::size_t i) { solve_rows(at(i, b), height(i), at(b, b), size, height(b)); });
  }
  return Cholesky(std::move(matrix), size);
}

void Cholesky::solve_lower(std::span<double> b) const {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double* row = lower_.data() + i * size_;
    double sum = b[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * b[k];
    b[i] = sum / row[i];
  }
}

std::vector<double> Cholesky::solve(std::vector<double> b) const {
  solve_lower(b);
  for (std::size_t i = size_; i-- > 0;) {
    const double* row = lower_.data() + i * size_;
    b[i] /= row[i];
    for (std::size_t k = 0; k < i; ++k) b[k] -= row[k] * b[i];
  }
  return b;
}

}  // namespace tacho
