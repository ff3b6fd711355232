#include "machine/probe/self_usage.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/file.h"

namespace tacho {
namespace {

constexpr std::size_t kAllocation = 64 << 20;

void touch_and_free(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  auto* at = static_cast<volatile char*>(memory);
  for (std::size_t i = 0; i < bytes; i += 4096) at[i] = 1;
  ::munmap(memory, bytes);
}

// Runs in a child, which starts with a new peak: this process may have had a higher one before.
std::int64_t rise_of_the_peak_in_a_child(std::size_t bytes) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return -1;
  const UniqueFd reader(pipe[0]);
  UniqueFd writer(pipe[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::int64_t before = self_usage().peak_memory.count;
    touch_and_free(bytes);
    const std::int64_t rise = self_usage().peak_memory.count - before;
    ::_exit(::write(writer.get(), &rise, sizeof(rise)) == sizeof(rise) ? 0 : 1);
  }
  writer.reset();
  std::int64_t rise = -1;
  if (::read(reader.get(), &rise, sizeof(rise)) != sizeof(rise)) rise = -1;
  ::waitpid(child, nullptr, 0);
  return rise;
}

TEST(SelfUsage, ThePeakRisesByTheTouchedMemoryAndStays) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer keeps a shadow as large as the memory itself";
#endif
  const auto expected = static_cast<double>(kAllocation);
  EXPECT_NEAR(static_cast<double>(rise_of_the_peak_in_a_child(kAllocation)), expected,
              0.02 * expected);
}

Seconds processor_clock() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Returns the share that was user time.
double burn_and_count() {
  const SelfUsage before = self_usage();
  const Seconds clock_before = processor_clock();
  volatile double sink = 1;
  while (processor_clock() - clock_before < Seconds(0.3)) {
    for (int i = 0; i < 100'000; ++i) sink = sink * 1.0000001;
  }
  const Seconds burnt = processor_clock() - clock_before;
  const SelfUsage after = self_usage();

  const Seconds user = after.user - before.user;
  const Seconds both = user + after.system - before.system;
  const Seconds tick(1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
  EXPECT_NEAR(both.count(), burnt.count(), std::max(0.02 * burnt.count(), tick.count()));
  return user / both;
}

TEST(SelfUsage, CountsTheCpuTimeUsed) {
  // The kernel splits the sum by what its ticks sampled; on a virtual machine that is sometimes
  // suspended, that may be the kernel itself.
  double own = 0;
  for (int round = 0; round < 5 && own <= 0.9; ++round) own = burn_and_count();
  EXPECT_GT(own, 0.9);
}

}  // namespace
}  // namespace tacho
