#include "predict/accuracy/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(Target, IsAnAccuracyOrALoss) {
  EXPECT_EQ(read_target("0.75")->value, 0.75);
  EXPECT_EQ(read_target("top1=0.75")->metric, TargetMetric::top1);
  EXPECT_EQ(read_target("loss=1.5")->value, 1.5);
  EXPECT_EQ(read_target("loss=1.5")->metric, TargetMetric::loss);
}

TEST(Target, RefusesWhatNoTrainingReaches) {
  for (const char* text : {"75", "top1=1", "loss=0", "loss=-1", "", "top1=", "loss=nan"}) {
    EXPECT_FALSE(read_target(text).ok()) << text;
  }
  EXPECT_THAT(read_target("top5=0.9").error().message, HasSubstr("loss=0.3"));
}

TEST(Target, QualityRisesAsALossFalls) {
  EXPECT_GT(quality_of({0.3, TargetMetric::loss}), quality_of({0.4, TargetMetric::loss}));
  EXPECT_NEAR(value_of(quality_of({0.3, TargetMetric::loss}), TargetMetric::loss), 0.3, 1e-12);
  EXPECT_EQ(quality_of({0.3, TargetMetric::top1}), 0.3);
}

}  // namespace
}  // namespace tacho
