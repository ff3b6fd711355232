#include "training/image/taps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

float share(const Taps& taps, int tap, int output) {
  return taps.shares[static_cast<std::size_t>(tap * taps.outputs + output)];
}

TEST(Taps, OfEqualSizesAreTheSamplesThemselves) {
  Taps taps;
  taps.fill(5, 0, 1, {0, 4}, false);
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < Taps::kGroup; ++k) {
      const bool own = taps.first[static_cast<std::size_t>(i)] + k == i;
      EXPECT_EQ(share(taps, k, i), own ? 1 : 0);
    }
  }
}

// Twice as many outputs: a quarter of one neighbour, three quarters of the other.
TEST(Taps, InterpolateWhenEnlarging) {
  Taps taps;
  taps.fill(8, 0, 0.5, {0, 3}, false);
  EXPECT_EQ(taps.groups, 1);
  EXPECT_THAT(taps.first, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_FLOAT_EQ(share(taps, 0, 0), 1);  // the edge has no other neighbour
  EXPECT_FLOAT_EQ(share(taps, 0, 1), 0.75F);
  EXPECT_FLOAT_EQ(share(taps, 1, 1), 0.25F);
  EXPECT_FLOAT_EQ(share(taps, 0, 2), 0.25F);
  EXPECT_FLOAT_EQ(share(taps, 1, 2), 0.75F);
  EXPECT_FLOAT_EQ(share(taps, 3, 7), 1);
}

// Half as many outputs: 1, 3, 3, 1 eighths.
TEST(Taps, CountEverySampleWhenShrinking) {
  Taps taps;
  taps.fill(3, 0, 2, {0, 5}, false);
  EXPECT_EQ(taps.groups, 1);
  EXPECT_EQ(taps.first[1], 1);
  EXPECT_THAT(
      (std::vector{share(taps, 0, 1), share(taps, 1, 1), share(taps, 2, 1), share(taps, 3, 1)}),
      ElementsAre(0.125F, 0.375F, 0.375F, 0.125F));
}

TEST(Taps, AreReversedByAFlip) {
  Taps forth;
  Taps back;
  forth.fill(7, 1.5, 1.7, {1, 13}, false);
  back.fill(7, 1.5, 1.7, {1, 13}, true);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(forth.first[static_cast<std::size_t>(i)],
              back.first[static_cast<std::size_t>(6 - i)]);
    for (int k = 0; k < forth.groups * Taps::kGroup; ++k) {
      EXPECT_EQ(share(forth, k, i), share(back, k, 6 - i));
    }
  }
}

// For all sizes: shares sum to 1, are within the source, and no tap is read further than a group
// beyond it.
TEST(Taps, StayWithinTheirSource) {
  Taps taps;
  for (int length = 1; length < 200; length += 3) {
    for (int outputs = 1; outputs < 64; outputs += 7) {
      taps.fill(outputs, 3, static_cast<double>(length) / outputs, {3, 3 + length - 1}, false);
      for (int i = 0; i < outputs; ++i) {
        const int first = taps.first[static_cast<std::size_t>(i)];
        const int count = taps.groups * Taps::kGroup;
        EXPECT_GE(first, 3);
        EXPECT_LT(first + count - 1, 3 + length + Taps::kGroup);
        float sum = 0;
        for (int k = 0; k < count; ++k) {
          sum += share(taps, k, i);
          if (first + k >= 3 + length) {
            EXPECT_EQ(share(taps, k, i), 0);
          }
        }
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace tacho
