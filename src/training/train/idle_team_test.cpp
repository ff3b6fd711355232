#include "training/train/idle_team.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>

namespace tacho {
namespace {

using Parallel = void (*)(void (*function)(void*), void* data, unsigned threads, unsigned flags);

Parallel gnu_parallel() {
  return reinterpret_cast<Parallel>(::dlsym(RTLD_DEFAULT, "GOMP_parallel"));
}

// Counts how often threads of this process slept while a team of two processed `regions` pieces of
// work with pauses longer than a short spin and shorter than a long one.
std::int64_t sleeps_over(int regions) {
  const auto slept = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::int64_t>(usage.ru_nvcsw);
  };
  const std::int64_t before = slept();
  std::atomic<int> done{0};
  for (int i = 0; i < regions; ++i) {
    gnu_parallel()([](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &done, 2, 0);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (std::chrono::steady_clock::now() < until) continue;
  }
  EXPECT_EQ(done, 2 * regions);
  return slept() - before;
}

TEST(IdleTeam, MakesWaitingThreadsSleepInsteadOfSpin) {
  at::set_num_threads(2);
  const auto team = IdleTeam::start();
  if (!team) GTEST_SKIP() << "torch does not use GNU's OpenMP, or its wait policy is set";
  // Without the team, threads that wait for 50 us rarely sleep.
  EXPECT_GT(sleeps_over(1000), 300);
}

TEST(IdleTeam, EndsWithoutBeingNeeded) {
  for (int i = 0; i < 20; ++i) {
    const auto team = IdleTeam::start();
  }
  EXPECT_GE(sleeps_over(10), 0);
}

}  // namespace
}  // namespace tacho
