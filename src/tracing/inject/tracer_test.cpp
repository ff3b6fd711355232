#include "tracing/inject/tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "tracing/inject/fake_cupti.h"
#include "tracing/tracefile/gpu_trace_reader.h"

namespace tacho {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

Tracer* the_tracer = nullptr;

// Tracers are not deleted before the program ends, as in a traced process.
void make_tracer(const std::string& folder) {
  static std::vector<std::unique_ptr<Tracer>> all;
  all.push_back(std::make_unique<Tracer>(FakeCupti::get().api(), DriverApi{}, folder));
  the_tracer = all.back().get();
}

class TracerTest : public testing::Test {
 protected:
  void SetUp() override { FakeCupti::get().reset(kCuda13_0); }

  std::string start() {
    make_tracer(folder_.path());
    return the_tracer->start(
        [](std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
          the_tracer->request_buffer(buffer, size, most);
        },
        [](void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
          the_tracer->complete_buffer(buffer, valid);
        });
  }
  [[nodiscard]] std::filesystem::path file(const std::string& ending) const {
    return folder_.path() / (std::to_string(::getpid()) + ending);
  }
  [[nodiscard]] GpuTrace trace() const { return *read_gpu_trace(folder_.path(), file(".tgt")); }
  [[nodiscard]] std::string problem() const { return *read_file(file(".problem")); }

  ScratchFolder folder_;
};

TEST_F(TracerTest, WritesFilledBuffersAndTheEndMark) {
  ASSERT_EQ(start(), "");
  FakeCupti::get().fill(raw_kernel(kCuda13_0, "k", 10, 20, 1).bytes());
  FakeCupti::get().drop(5);
  the_tracer->finish();
  const GpuTrace written = trace();
  EXPECT_EQ(written.process, static_cast<std::uint32_t>(::getpid()));
  EXPECT_THAT(written.program, HasSubstr("inject_test"));
  EXPECT_EQ(written.cupti_version, 130001U);
  EXPECT_EQ(written.kernels.size(), 1U);
  EXPECT_EQ(written.dropped, 5U);
  EXPECT_TRUE(written.ended);
  EXPECT_FALSE(std::filesystem::exists(file(".problem")));
}

TEST_F(TracerTest, WritesEveryHalfSecond) {
  FakeCupti::get().fill(raw_kernel(kCuda13_0, "k", 10, 20, 1).bytes());
  ASSERT_EQ(start(), "");
  for (int i = 0; i < 500 && trace().kernels.empty(); ++i) ::usleep(10'000);
  EXPECT_EQ(trace().kernels.size(), 1U);
  EXPECT_FALSE(trace().ended);
  the_tracer->finish();
}

TEST_F(TracerTest, AdaptsBufferSizesToTheRateOfRecords) {
  const auto most_records = [] {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t most = 0;
    the_tracer->request_buffer(&buffer, &size, &most);
    return most;
  };
  std::string records;
  for (int i = 0; i < 4000; ++i) records += raw_kernel(kCuda13_0, "k", 10, 20, 1).bytes();
  FakeCupti::get().fill(records);
  ASSERT_EQ(start(), "");
  EXPECT_EQ(most_records(), 256U);
  for (int i = 0; i < 500 && trace().kernels.empty(); ++i) ::usleep(10'000);
  EXPECT_EQ(most_records(), 2000U);
  the_tracer->finish();
}

TEST_F(TracerTest, ABurstOfRecordsGetsWholeBuffers) {
  ASSERT_EQ(start(), "");
  std::vector<std::size_t> limits;
  for (int i = 0; i < 40; ++i) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    the_tracer->request_buffer(&buffer, &size, &limits.emplace_back());
    ASSERT_NE(buffer, nullptr);
  }
  EXPECT_EQ(limits.front(), 256U);
  EXPECT_EQ(limits.back(), 0U);  // no limit
  the_tracer->finish();
}

TEST_F(TracerTest, TracesKernelsCopiesSetsAndCalls) {
  ASSERT_EQ(start(), "");
  the_tracer->finish();
  EXPECT_THAT(FakeCupti::get().enabled, testing::ElementsAre(10, 1, 22, 2, 5, 4));
}

TEST_F(TracerTest, TracesRangesOnceNvtxIsUsed) {
  ASSERT_EQ(start(), "");
  the_tracer->trace_ranges();
  the_tracer->finish();
  EXPECT_THAT(FakeCupti::get().enabled, testing::ElementsAre(10, 1, 22, 2, 5, 4, 12));
}

TEST_F(TracerTest, SaysHowToGetPermission) {
  FakeCupti::get().answer_to_enable = kCuptiInsufficientPrivileges;
  EXPECT_THAT(start(), AllOf(HasSubstr("CUPTI_ERROR_SOME, 35"),
                             HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
  EXPECT_FALSE(std::filesystem::exists(file(".tgt")));
  EXPECT_THAT(FakeCupti::get().disabled, Contains(10));
}

TEST_F(TracerTest, SaysThatAnotherProfilerIsActive) {
  FakeCupti::get().answer_to_enable = kCuptiMultipleSubscribers;
  EXPECT_THAT(start(), HasSubstr("another profiler is active"));
}

TEST_F(TracerTest, RejectsCuda11) {
  FakeCupti::get().reset({.version = 18, .kernel_size = 160});
  EXPECT_THAT(start(), HasSubstr("older than CUDA 12.0"));
}

TEST_F(TracerTest, NamesTheFolderItCannotWrite) {
  make_tracer("/does/not/exist");
  EXPECT_THAT(the_tracer->start(nullptr, nullptr),
              AllOf(HasSubstr("/does/not/exist/"), HasSubstr("No such file or directory")));
}

TEST_F(TracerTest, StopsAtUnknownRecords) {
  FakeCupti::get().fill(raw_kernel(kCuda13_0, "k", 10, 20, 1).put(104, std::uint64_t{99}).bytes());
  ASSERT_EQ(start(), "");
  the_tracer->finish();
  EXPECT_THAT(problem(), HasSubstr("does not know"));
  EXPECT_THAT(FakeCupti::get().disabled, testing::IsSupersetOf({10, 1, 22, 2, 12, 5, 4}));
  std::uint8_t* buffer = nullptr;
  std::size_t size = 1;
  std::size_t most = 1;
  the_tracer->request_buffer(&buffer, &size, &most);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(size, 0U);
}

TEST_F(TracerTest, UsesAnotherFileNameIfAnEarlierProgramHadThePid) {
  ASSERT_EQ(start(), "");
  the_tracer->finish();
  ASSERT_EQ(start(), "");
  the_tracer->finish();
  EXPECT_TRUE(read_gpu_trace(folder_.path(), file(".tgt"))->ended);
  EXPECT_TRUE(read_gpu_trace(folder_.path(), file(".1.tgt"))->ended);
}

TEST_F(TracerTest, LeavesTheFileToTheParentAfterFork) {
  ASSERT_EQ(start(), "");
  const auto size = std::filesystem::file_size(file(".tgt"));
  const pid_t child = ::fork();
  if (child == 0) {
    the_tracer->finish();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::filesystem::file_size(file(".tgt")), size);
  the_tracer->finish();
  EXPECT_TRUE(trace().ended);
}

TEST_F(TracerTest, HandsOutZeroedBuffersUpToALimit) {
  BufferPool pool;
  std::vector<std::uint8_t*> taken;
  while (std::uint8_t* buffer = pool.take_empty()) taken.push_back(buffer);
  EXPECT_EQ(taken.size(), BufferPool::kMostBuffers);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken[0]) % 8, 0U);
  taken[0][5] = 9;
  pool.put_filled({taken[0], 6});
  const auto filled = pool.take_filled(std::chrono::steady_clock::now());
  ASSERT_TRUE(filled.has_value());
  EXPECT_EQ(filled->bytes[5], 9);
  EXPECT_EQ(filled->valid_size, 6U);
  EXPECT_EQ(pool.take_empty(), nullptr);
  pool.put_empty(*filled);
  EXPECT_EQ(pool.take_empty()[5], 0);
  EXPECT_FALSE(pool.take_filled(std::chrono::steady_clock::now()).has_value());
}

}  // namespace
}  // namespace tacho
