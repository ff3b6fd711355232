#include "core/record/distribution.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(NormalQuantile, AgreesWithTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963985, 1e-9);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306, 1e-9);
}

TEST(StudentQuantile, AgreesWithTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.70620474, 1e-8);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.302652730, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 3), 3.182446305, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.776445105, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.228138852, 1e-9);
  EXPECT_NEAR(student_quantile(0.025, 7), -2.364624252, 1e-9);
}

}  // namespace
}  // namespace tacho
