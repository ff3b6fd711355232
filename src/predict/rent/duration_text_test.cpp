#include "predict/rent/duration_text.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(DurationText, TakesTheUnitThatFits) {
  EXPECT_EQ(duration_text({0.0051, 0.004, 0.0062}), "5.10 ms (4.00-6.20)");
  EXPECT_EQ(duration_text({36, 18, 72}), "36.0 s (18.0-72.0)");
  EXPECT_EQ(duration_text({150, 120, 200}), "2.50 min (2.00-3.33)");
  EXPECT_EQ(duration_text({27720, 17208, 44640}), "7.70 h (4.78-12.4)");
  EXPECT_EQ(duration_text({864000, 432000, 1728000}), "10.0 d (5.00-20.0)");
}

TEST(ThreeFigures, KeepsThreeDigits) {
  EXPECT_EQ(three_figures(0), "0.000");
  EXPECT_EQ(three_figures(0.00024), "0.000240");
  EXPECT_EQ(three_figures(0.1234), "0.123");
  EXPECT_EQ(three_figures(0.996), "1.00");
  EXPECT_EQ(three_figures(9.96), "10.0");
  EXPECT_EQ(three_figures(141.6), "142");
}

}  // namespace
}  // namespace tacho
