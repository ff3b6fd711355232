#include "serving/dashboard/run_timeline.h"

#include <gtest/gtest.h>

namespace tacho::serve {
namespace {

std::vector<ProcessTimeline> made(int kernels) {
  GpuTrace trace;
  trace.process = 7;
  trace.to_unix_ns = 1'000'000'000'000;
  trace.names = {"sgemm_128", "memset"};
  for (int i = 0; i < kernels; ++i) {
    KernelRecord kernel;
    kernel.begin_ns = i * 1000LL;
    kernel.end_ns = kernel.begin_ns + 500;
    kernel.stream = 7;
    trace.kernels.push_back(kernel);
  }
  return {ProcessTimeline(trace)};
}

TEST(RunTimeline, LimitsTheSpansToTheColumns) {
  const auto run = made(100'000);
  const Json all = timeline_json(run, {.columns = 500});
  const Json& spans = all["processes"][0]["tracks"][0]["spans"];
  EXPECT_LE(spans.size(), 500U);
  EXPECT_GE(spans.size(), 100U);
  std::int64_t count = 0;
  for (const Json& span : spans) count += span[3].get<std::int64_t>();
  EXPECT_EQ(count, 100'000);
}

TEST(RunTimeline, ShowsEveryKernelWhenZoomedIn) {
  const auto run = made(100'000);
  const Json part = timeline_json(run, {.from_s = 0.05, .to_s = 0.05001, .columns = 500});
  const Json& spans = part["processes"][0]["tracks"][0]["spans"];
  ASSERT_GE(spans.size(), 10U);
  EXPECT_LE(spans.size(), 12U);
  EXPECT_EQ(spans[1][3], 1);
  EXPECT_NEAR(spans[1][1].get<double>(), 5e-7, 1e-12);
  EXPECT_EQ(part["processes"][0]["labels"][0]["class"], "matrix product");
}

TEST(RunTimeline, IsEmptyWithoutATrace) {
  EXPECT_TRUE(timeline_json({}, {})["processes"].empty());
  EXPECT_NEAR(timeline_json(made(1), {.from_s = 9, .to_s = -9})["from"].get<double>(), 5e-7, 1e-12);
}

}  // namespace
}  // namespace tacho::serve
