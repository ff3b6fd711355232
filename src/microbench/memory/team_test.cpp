// Checks the timer with work of known duration.
#include "microbench/memory/team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace tacho::bandwidth {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

void wait_until(Clock::time_point end) {
  while (Clock::now() < end) {
  }
}

TEST(Team, MeasuresWorkOfKnownLengthWithinOnePercent) {
  Team team(1, allowed_cpus());
  double best = 1;
  // Other programs can make a measurement longer but never shorter.
  for (int i = 0; i < 500 && best > 1.01e-3; ++i) {
    const Seconds measured = team.run([](int) { wait_until(Clock::now() + 1ms); });
    EXPECT_GE(measured, 1ms);
    best = std::min(best, measured.count());
  }
  EXPECT_LT(best, 1.01e-3);
}

TEST(Team, MeasuresTheSlowestThread) {
  Team team(3, allowed_cpus());
  const Seconds measured =
      team.run([](int thread) { std::this_thread::sleep_for(thread == 2 ? 40ms : 1ms); });
  EXPECT_GE(measured, 40ms);
}

TEST(Team, EveryThreadWorksOncePerRun) {
  Team team(4, allowed_cpus());
  std::atomic<int> mask = 0;
  for (int i = 0; i < 100; ++i) {
    mask = 0;
    team.run([&](int thread) { mask += 1 << (4 * thread); });
    ASSERT_EQ(mask, 0x1111);
  }
}

TEST(Team, RestoresTheAffinityOfTheCaller) {
  const auto before = allowed_cpus();
  { const Team team(2, before); }
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace tacho::bandwidth
