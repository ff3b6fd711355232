#include "predict/speed/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace tacho {
namespace {

// B·Bᵀ + size·1 for a random B, which is well conditioned.
std::vector<double> made_matrix(std::size_t size) {
  Random random(3, size);
  std::vector<double> b(size * size);
  for (double& value : b) value = random.between(-1, 1);
  std::vector<double> a(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k) a[i * size + j] += b[i * size + k] * b[j * size + k];
    }
    a[i * size + i] += static_cast<double>(size);
  }
  return a;
}

class CholeskyOf : public testing::TestWithParam<std::size_t> {};

TEST_P(CholeskyOf, SolvesWhatItFactored) {
  const std::size_t size = GetParam();
  const auto a = made_matrix(size);
  std::vector<double> x(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = std::sin(static_cast<double>(i));
  std::vector<double> b(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) b[i] += a[i * size + k] * x[k];
  }
  const auto factor = Cholesky::factor(a, size, 2);
  ASSERT_TRUE(factor.ok());
  const auto found = factor->solve(b);
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(found[i], x[i], 1e-10) << i;
}

// Sizes around those of the blocks.
INSTANTIATE_TEST_SUITE_P(Sizes, CholeskyOf, testing::Values(1, 2, 5, 63, 64, 65, 130, 200));

TEST(Cholesky, GivesTheSameOnOneThreadAndOnThree) {
  const auto a = made_matrix(150);
  const std::vector<double> b(150, 1);
  EXPECT_EQ(Cholesky::factor(a, 150, 1)->solve(b), Cholesky::factor(a, 150, 3)->solve(b));
}

TEST(Cholesky, RejectsAMatrixThatIsNotPositiveDefinite) {
  EXPECT_FALSE(Cholesky::factor({1, 2, 2, 1}, 2, 1).ok());
}

}  // namespace
}  // namespace tacho
