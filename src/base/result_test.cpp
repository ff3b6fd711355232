#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace tacho {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{ErrorCode::usage, "odd"};
  return number / 2;
}

Result<int> quarter(int number) {
  TACHO_TRY(once, half(number));
  TACHO_TRY(twice, half(once).in("second half"));
  return twice;
}

TEST(Result, CollectsContextFromEachLayer) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(7).error().message, "odd");
  EXPECT_EQ(quarter(6).error().message, "second half: odd");
  EXPECT_EQ(quarter(6).error().code, ErrorCode::usage);
}

TEST(Result, CarriesMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(ResultDeathTest, ReadingTheWrongSideAborts) {
  const Result<int> failed = Error{ErrorCode::io, "disk full"};
  EXPECT_DEATH((void)*failed, "disk full");
}

}  // namespace
}  // namespace tacho
