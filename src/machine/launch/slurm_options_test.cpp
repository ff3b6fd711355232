#include "machine/launch/slurm_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SlurmOptions, ArePassedToSbatch) {
  const auto options = slurm_options({{"partition", "gpu"}, {"constraint", "a100&nvlink"}});
  ASSERT_TRUE(options.ok());
  EXPECT_THAT(options->passed_on, ElementsAre("--constraint=a100&nvlink", "--partition=gpu"));
  EXPECT_TRUE(options->requeue);
}

TEST(SlurmOptions, RefusesUnknownOnesAndThoseThatWouldChangeTheBatch) {
  EXPECT_THAT(slurm_options({{"partion", "x"}}).error().message,
              HasSubstr("did you mean 'partition'"));
  for (const char* name : {"array", "output", "wrap", "chdir", "job-name"}) {
    EXPECT_FALSE(slurm_options({{name, "x"}}).ok()) << name;
  }
  EXPECT_FALSE(slurm_options({{"partition", ""}}).ok());
  EXPECT_FALSE(slurm_options({{"partition", "a\nb"}}).ok());
  EXPECT_THAT(slurm_options({{"requeue", "maybe"}}).error().message, HasSubstr("yes or no"));
  EXPECT_FALSE(slurm_options({{"tacho", "bin/tacho"}}).ok());
}

TEST(SlurmOptions, NeedsBecomeOptionsUnlessTheyWereGiven) {
  const Resources needs{.cores = 1.5, .memory_bytes = 3000, .gpus = 2};
  EXPECT_THAT(needs_as_options(needs, Seconds(61), *slurm_options({})),
              ElementsAre("--nodes=1", "--ntasks=1", "--cpus-per-task=2", "--mem=3K",
                          "--gres=gpu:2", "--time=3"));
  const auto own = needs_as_options(
      needs, Seconds(61), *slurm_options({{"mem", "4G"}, {"gres", "gpu:a100:2"}, {"time", "5"}}));
  for (const char* start : {"--mem", "--gres", "--time"}) {
    EXPECT_THAT(own, Not(Contains(StartsWith(start))));
  }
}

}  // namespace
}  // namespace tacho
