#include "base/enum_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tacho {
namespace {

enum class Season { spring, summer, autumn, winter };
using Days = EnumArray<Season, int, 4>;

TEST(EnumArray, HasOneElementPerEnumerator) {
  EnumArray<Season, std::string, 4> words;
  words[Season::autumn] = "leaves";
  EXPECT_EQ(words[2], "leaves");
  EXPECT_THAT(words, testing::ElementsAre("", "", "leaves", ""));
}

TEST(EnumArray, IsFilledAndComparedLikeAnArray) {
  constexpr Days kDays = {92, 92, 91, 90};
  static_assert(kDays[Season::winter] == 90 && kDays.size() == 4);
  Days leap = kDays;
  EXPECT_EQ(leap, kDays);
  ++leap[Season::winter];
  EXPECT_NE(leap, kDays);
  EXPECT_GT(leap, kDays);
}

}  // namespace
}  // namespace tacho
