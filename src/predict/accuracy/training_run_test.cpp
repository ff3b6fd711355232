#include "predict/accuracy/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kHeadings =
    "model,gmacs,params_M,data,gpu,gpus,batch_per_gpu,workers,data_split,learning_rate,rank,"
    "epoch_s,top1,source\n";

std::string error_of(const std::string& row) {
  const auto runs = read_training_runs(std::string(kHeadings) + row);
  return runs.ok() ? "" : runs.error().message;
}

TEST(TrainingRun, ReadsTheEpochsOfARank) {
  const auto runs = read_training_runs(
      std::string(kHeadings) +
      "resnet18,0.037,11.18,cifar10,P40,2,128,16,whole,0.1,1,76.1 75.9,0.47 0.6,somebody\n");
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  const TrainingRun& run = runs->front();
  EXPECT_EQ(run.setup.data_split, DataSplit::whole);
  EXPECT_EQ(run.setup.gpus, 2);
  EXPECT_THAT(run.epoch_seconds, ElementsAre(76.1, 75.9));
  EXPECT_THAT(run.top1, ElementsAre(0.47, 0.6));
}

TEST(TrainingRun, RefusesRowsThatMakeNoSense) {
  EXPECT_THAT(error_of("m,1,1,d,P40,1,128,4,whole,0.1,0,1,0.5,s\n"), HasSubstr("'single'"));
  EXPECT_THAT(error_of("m,1,1,d,P40,2,128,4,half,0.1,0,1,0.5,s\n"), HasSubstr("data_split"));
  EXPECT_THAT(error_of("m,1,1,d,P40,1,128,4,single,0.1,0,1 2,0.5,s\n"), HasSubstr("as many"));
  EXPECT_THAT(error_of("m,1,1,d,P40,1,128,4,single,0.1,0,1,1.5,s\n"), HasSubstr("between 0 and 1"));
  EXPECT_THAT(error_of("m,1,1,d,P40,1,128,4,single,0.1,0,0,0.5,s\n"), HasSubstr("epoch_s"));
}

TEST(TrainingRun, TheShippedTrainingsHave57Configurations) {
  std::set<TrainingSetup> setups;
  std::size_t epochs = 0;
  for (const TrainingRun& run : published_training_runs()) {
    setups.insert(run.setup);
    epochs += run.top1.size();
  }
  EXPECT_EQ(setups.size(), 57U);
  EXPECT_EQ(epochs, 5380U);
}

}  // namespace
}  // namespace tacho
