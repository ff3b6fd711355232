#include "microbench/memory/cpu_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tacho::bandwidth {
namespace {

CpuBenchRequest small_machine(int threads) {
  return {.quick = true,
          .threads = threads,
          .array = Bytes{2 << 20},
          .cpus = allowed_cpus(),
          .caches = {{"L1", Bytes{32 << 10}, 1}, {"L2", Bytes{1 << 20}, 2}}};
}

TEST(CpuBench, ArraysAreFourTimesTheLargestCacheIfMemoryAllows) {
  const std::vector<CacheLevel> caches = {{"L1", Bytes{64 << 10}, 1}, {"L3", Bytes{32 << 20}, 2}};
  EXPECT_EQ(array_beyond_caches(caches, Bytes{24LL << 30}), Bytes{128 << 20});
  EXPECT_EQ(array_beyond_caches({}, Bytes{24LL << 30}), Bytes{64 << 20});
  EXPECT_EQ(array_beyond_caches(caches, Bytes{768 << 20}), Bytes{64 << 20});
}

TEST(CpuBench, MeasuresEachCacheHalfFull) {
  for (const CpuCase& one : plan_cpu(small_machine(2))) {
    if (one.level == "L1") {
      EXPECT_EQ(one.elements, 2 * (32 << 10) / 2 / 3 / 4 / 32 * 32);  // each thread has its own
    }
    if (one.level == "L2") {
      EXPECT_EQ(one.elements, (1 << 20) / 2 / 3 / 4 / 32 * 32);  // both share one
    }
    EXPECT_EQ(one.resident, one.level != "memory");
  }
}

TEST(CpuBench, CanMeasureOneOperationOnly) {
  CpuBenchRequest request = small_machine(1);
  request.only = Operation::gather;
  const auto cases = plan_cpu(request);
  EXPECT_FALSE(cases.empty());
  for (const CpuCase& one : cases) EXPECT_EQ(one.form->operation, Operation::gather);
}

TEST(CpuBench, MeasuresARemoteTriadIfThereAreTwoNodes) {
  CpuBenchRequest request = small_machine(2);
  request.nodes = {{0}, {1}};
  const auto cases = plan_cpu(request);
  EXPECT_TRUE(std::ranges::any_of(cases, &CpuCase::remote));
  request.nodes = {{0, 1}};
  EXPECT_FALSE(std::ranges::any_of(plan_cpu(request), &CpuCase::remote));
}

TEST(CpuBench, MeasuresThePlanAndReportsProgress) {
  const CpuBenchRequest request = small_machine(2);
  const std::atomic<int> none = 0;
  std::int64_t reported = 0;
  const auto found = measure_cpu(request, none, [&](std::int64_t done, std::int64_t, const auto&) {
    EXPECT_EQ(done, reported++);
  });
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->size(), plan_cpu(request).size());
  EXPECT_EQ(std::ssize(*found), reported);
  for (const Measurement& m : *found) {
    EXPECT_GT(m.seconds, 0) << m.form;
    EXPECT_LE(m.fastest_seconds, m.seconds);
    EXPECT_GE(m.slowest_seconds, m.seconds);
    EXPECT_GE(m.samples, 3);
    EXPECT_GE(m.moved_bytes, m.necessary_bytes / 2);
    const bool past_caches = m.form.starts_with("non-temporal") && m.level != "memory";
    EXPECT_EQ(m.limit == "stores bypass the caches", past_caches) << m.form;
  }
}

TEST(CpuBench, CountsArePerPassAndOnlyOfAvailableCounters) {
  CpuBenchRequest request = small_machine(1);
  request.only = Operation::triad;
  // The counter advances by a million per read, that is, per form with all its passes.
  double cycles = 0;
  request.counted = [&] {
    cycles += 1e6;
    return Counts{{"cycles", cycles}};
  };
  const std::atomic<int> none = 0;
  const auto found =
      measure_cpu(request, none, [](std::int64_t, std::int64_t, const std::string&) {});
  ASSERT_TRUE(found.ok()) << found.error().message;
  for (const Measurement& m : *found) {
    ASSERT_EQ(m.counts.size(), 1U);
    const double passes = 1e6 / m.counts.at("cycles");
    EXPECT_NEAR(passes, std::round(passes), 1e-6) << m.form;
    EXPECT_GE(std::llround(passes), m.samples);
  }
}

TEST(CpuBench, AnInterruptKeepsTheMeasurementsSoFar) {
  std::atomic<int> interrupts = 0;
  const auto found =
      measure_cpu(small_machine(1), interrupts,
                  [&](std::int64_t done, std::int64_t, const auto&) { interrupts = done == 2; });
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->size(), 3U);
}

}  // namespace
}  // namespace tacho::bandwidth
