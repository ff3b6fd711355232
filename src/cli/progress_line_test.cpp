#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMiB = 1 << 20;

class ProgressStateTest : public testing::Test {
 protected:
  std::string after(std::chrono::milliseconds time, Progress progress) {
    state_.add(progress, ProgressState::Time{} + 1h + time);
    return state_.line();
  }
  ProgressState state_;
};

TEST_F(ProgressStateTest, ShowsSpeedAndTimeLeftAfterTwoMarks) {
  EXPECT_EQ(after(0s, {.done = 0, .total = 100 * kMiB}), "0 B of 100 MiB  0.0 %");
  EXPECT_EQ(after(500ms, {.done = 5 * kMiB, .total = 100 * kMiB}),
            "5.00 MiB of 100 MiB  5.0 %  10.0 MiB/s  0:10 left");
  EXPECT_EQ(after(2s, {.done = 20 * kMiB, .total = 100 * kMiB}),
            "20.0 MiB of 100 MiB  20.0 %  10.0 MiB/s  0:08 left");
}

TEST_F(ProgressStateTest, IgnoresExistingDataForTheSpeed) {
  after(0s, {.done = 0, .total = 100 * kMiB});
  EXPECT_EQ(after(1s, {.done = 60 * kMiB, .total = 100 * kMiB, .found = 58 * kMiB}),
            "60.0 MiB of 100 MiB  60.0 %  2.00 MiB/s  0:20 left");
}

TEST_F(ProgressStateTest, UsesTheRecentSpeed) {
  for (int s = 0; s <= 10; ++s) after(s * 1s, {.done = s * 50 * kMiB, .total = 1000 * kMiB});
  std::string line;
  for (int s = 11; s <= 40; ++s) {
    line = after(s * 1s, {.done = (500 + (s - 10)) * kMiB, .total = 1000 * kMiB});
  }
  EXPECT_EQ(line, "530 MiB of 1000 MiB  53.0 %  1.00 MiB/s  7:50 left");
}

TEST_F(ProgressStateTest, CountsFiles) {
  after(0s, {.done = 0, .total = 5000, .unit = Progress::Unit::files});
  EXPECT_EQ(after(1s, {.done = 1000, .total = 5000, .unit = Progress::Unit::files}),
            "1,000 of 5,000 files  20.0 %  1,000 files/s  0:04 left");
}

}  // namespace
}  // namespace tacho
