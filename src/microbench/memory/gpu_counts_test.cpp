#include "microbench/memory/gpu_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::bandwidth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr const char* kLog =
    "==PROF== Connected to process 1463 (tacho-gpubench)\n"
    "==PROF== Disconnected from process 1463\n"
    "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\"\n"
    "\"\",\"\",\"byte\",\"byte\"\n"
    "\"0\",\"void gpubench::fill(float *, float *, long)\",\"128\",\"9,999\"\n"
    "\"1\",\"gpubench::case_begins()\",\"64\",\"0\"\n"
    "\"2\",\"void gpubench::find_mean(const float *)\",\"1,000,000\",\"32\"\n"
    "\"3\",\"void gpubench::apply(const float *)\",\"1,000,000\",\"500,000\"\n"
    "\"4\",\"gpubench::case_ends()\",\"64\",\"0\"\n"
    "\"5\",\"void gpubench::order(unsigned *)\",\"7\",\"7\"\n"
    "\"6\",\"gpubench::case_begins()\",\"64\",\"0\"\n"
    "\"7\",\"gpubench::case_ends()\",\"64\",\"0\"\n";

TEST(GpuCounts, SumsTheKernelsOfACaseOnly) {
  const auto cases = counts_of_cases(kLog);
  ASSERT_TRUE(cases.ok()) << cases.error().message;
  EXPECT_THAT(*cases, ElementsAre(UnorderedElementsAre(Pair("memory_read_bytes", 2e6),
                                                       Pair("memory_write_bytes", 500'032)),
                                  IsEmpty()));
}

TEST(GpuCounts, AreRequestedInNcusFormat) {
  EXPECT_EQ(gpu_metrics(), "dram__bytes_read.sum,dram__bytes_write.sum");
}

TEST(GpuCounts, AreAddedToTheFormsInMemoryInOrder) {
  Survey survey;
  survey.measurements = {Measurement{.form = "a", .level = "memory", .necessary_bytes = 100},
                         Measurement{.form = "b", .level = "L2"},
                         Measurement{.form = "c", .level = "memory", .necessary_bytes = 100}};
  const std::vector<Counts> cases = {{}, {{"memory_read_bytes", 60}, {"memory_write_bytes", 50}}};
  ASSERT_TRUE(add_counts(cases, survey).ok());
  EXPECT_FALSE(memory_share(survey.measurements[0]).has_value());
  EXPECT_TRUE(survey.measurements[1].counts.empty());
  EXPECT_DOUBLE_EQ(memory_share(survey.measurements[2]).value(), 1.1);
  EXPECT_THAT(add_counts({{}}, survey).error().message, HasSubstr("1 cases were counted, 2"));
}

TEST(GpuCounts, RejectsALogWithoutATable) {
  EXPECT_THAT(counts_of_cases("==ERROR== ERR_NVGPUCTRPERM\n").error().message,
              HasSubstr("counted nothing"));
  EXPECT_THAT(counts_of_cases("\"ID\",\"Kernel Name\"\n").error().message,
              HasSubstr("no column 'dram__bytes_read.sum'"));
}

}  // namespace
}  // namespace tacho::bandwidth
