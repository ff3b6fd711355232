#include "tracing/trace/timeline.h"

#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "base/json_object.h"
#include "base/scratch_folder.h"
#include "tracing/trace/test_trace.h"

namespace tacho {
namespace {

TestProgram small_program() {
  TestProgram program;
  for (int i = 0; i < 10; ++i) {
    program.copy(CopyKind::host_to_device, 4096, 10 * kUs, true);
    program.kernel("ampere_sgemm_128x64_tn", 100 * kUs);
    program.kernel("say(\"hi\\\n\t\x01\xff\")<ünïcode>", 20 * kUs);
    program.kernel("multi_tensor_apply_kernel<FusedSgd>", 30 * kUs);
    program.wait();
  }
  program.raw().ranges.push_back({1'000'000'000, 1'000'500'000, program.name("epoch 1"), 1});
  return program;
}

struct Written {
  Json json;
  TimelineSummary summary;
  std::size_t bytes = 0;
  [[nodiscard]] std::vector<Json> of(const std::string& key, const std::string& value) const {
    std::vector<Json> found;
    for (const Json& event : json["traceEvents"]) {
      if (event.contains(key) && event[key] == value) found.push_back(event);
    }
    return found;
  }
};

Written write(const GpuTrace& trace, const TimelineOptions& options = {}) {
  const ScratchFolder folder;
  const auto path = folder.path() / "trace.json";
  const FoundSteps steps = find_in(trace).steps;
  const std::vector<TimelineProcess> processes = {{trace, steps}};
  auto summary = write_timeline(path, processes, options);
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  const auto text = read_file(path);
  auto json = parse_json(*text);
  EXPECT_TRUE(json.ok()) << json.error().message;
  return {*json, *summary, text->size()};
}

TEST(Timeline, ContainsEveryRecordOnce) {
  const Written written = write(small_program().trace());
  EXPECT_EQ(written.of("cat", "kernel").size(), 30U);
  EXPECT_EQ(written.of("cat", "copy").size(), 10U);
  EXPECT_EQ(written.of("cat", "cuda call").size(), 50U);
  EXPECT_EQ(written.of("cat", "nvtx").size(), 1U);
  EXPECT_EQ(written.of("ph", "s").size(), 40U);
  EXPECT_EQ(written.of("ph", "f").size(), 40U);
  EXPECT_EQ(written.of("cat", "step").size(), 8U);
  EXPECT_EQ(written.summary.left_out, 0);
  EXPECT_EQ(static_cast<std::size_t>(written.summary.events), written.json["traceEvents"].size());
  EXPECT_EQ(written.json["otherData"]["shown"], "everything");
}

TEST(Timeline, TimesAreMicrosecondsToTheNanosecond) {
  GpuTrace trace;
  trace.names = {"spin"};
  trace.to_unix_ns = 1'700'000'000'000'000'000;
  trace.kernels = {{0, 5, 0, 0, 0, 0, 7, 1}, {1234567, 2345678, 0, 0, 0, 0, 7, 2}};
  const auto kernels = write(trace).of("cat", "kernel");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_DOUBLE_EQ(kernels[1]["ts"].get<double>(), 1234.567);
  EXPECT_DOUBLE_EQ(kernels[1]["dur"].get<double>(), 1111.111);
}

TEST(Timeline, EscapesNamesWithAnyBytes) {
  const auto kernels = write(small_program().trace()).of("cat", "kernel");
  EXPECT_EQ(kernels[1]["name"], "say(\"hi\\\n\t\x01\xEF\xBF\xBD\")<ünïcode>");
}

TEST(Timeline, AnArrowGoesFromACallToItsKernel) {
  const Written written = write(small_program().trace());
  const Json start = written.of("ph", "s").front();
  const Json finish = written.of("ph", "f").front();
  EXPECT_EQ(start["id"], finish["id"]);
  EXPECT_EQ(start["pid"], 7);
  EXPECT_NE(finish["pid"], 7);
  EXPECT_LT(start["ts"].get<double>(), finish["ts"].get<double>());
}

TEST(Timeline, OverlappingKernelsOfAStreamGetSeparateTracks) {
  GpuTrace trace;
  trace.names = {"a"};
  trace.kernels = {
      {0, 1000, 1, 0, 0, 0, 7, 1}, {500, 1500, 2, 0, 0, 0, 7, 1}, {1600, 1700, 3, 0, 0, 0, 7, 1}};
  const Written written = write(trace);
  std::map<std::int64_t, double> ends;
  for (const Json& kernel : written.of("cat", "kernel")) {
    double& end = ends[kernel["tid"].get<std::int64_t>()];
    EXPECT_GE(kernel["ts"].get<double>(), end);
    end = kernel["ts"].get<double>() + kernel["dur"].get<double>();
  }
  EXPECT_EQ(ends.size(), 2U);
}

TEST(Timeline, SequentialWorkOfAStreamIsOneTrack) {
  const Written written = write(small_program().trace());
  const auto kernels = written.of("cat", "kernel");
  for (const Json& copy : written.of("cat", "copy")) EXPECT_EQ(copy["tid"], kernels[0]["tid"]);
}

TEST(Timeline, ShowsTheRequestedStepsAndSaysSo) {
  TimelineOptions options;
  options.first_step = 2;
  options.steps = 3;
  const Written written = write(small_program().trace(), options);
  EXPECT_EQ(written.of("cat", "step").size(), 3U);
  EXPECT_EQ(written.of("cat", "kernel").size(), 9U);
  EXPECT_GT(written.summary.left_out, 50);
  EXPECT_EQ(written.json["otherData"]["shown"], "process 7: steps 3 to 5 of 8");
}

TEST(Timeline, StaysBelowTheSizeLimit) {
  TestProgram program;
  for (int i = 0; i < 300; ++i) {
    for (int k = 0; k < 20; ++k) program.kernel("ampere_sgemm_128x64_tn", 10 * kUs);
    program.kernel("multi_tensor_apply_kernel<FusedSgd>", 30 * kUs);
  }
  TimelineOptions options;
  options.most_bytes = 500'000;
  const Written written = write(program.trace(), options);
  EXPECT_LT(written.bytes, 500'000U);
  EXPECT_GT(written.bytes, 250'000U);
  EXPECT_NE(written.summary.cut, "");
  EXPECT_GT(written.of("cat", "step").size(), 10U);
}

TEST(Timeline, IsValidForAnEmptyTrace) {
  const Written written = write(GpuTrace{});
  EXPECT_EQ(written.of("cat", "kernel").size(), 0U);
}

TEST(Timeline, FailsIfItCannotWrite) {
  const ScratchFolder folder;
  const GpuTrace trace;
  const FoundSteps steps;
  const std::vector<TimelineProcess> processes = {{trace, steps}};
  EXPECT_FALSE(write_timeline(folder.path() / "none" / "trace.json", processes).ok());
}

}  // namespace
}  // namespace tacho
