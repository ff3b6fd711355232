#include "predict/accuracy/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"
#include "predict/accuracy/curve_catalog.h"
#include "predict/accuracy/time_record.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kHeading =
    "model,data,recipe,schedule,system,batch,learning_rate,epoch_samples,source,epochs,accuracy\n";
constexpr std::string_view kRow = "m,d,sgd,decay,s,64,0.1,1000,here,1 2 3,0.5 0.6 0.65\n";

std::string problem_of(std::string_view row) {
  const auto read = read_curves(std::string(kHeading) + std::string(row));
  return read.ok() ? "" : read.error().message;
}

TEST(Curve, OfARunHasItsSettingsAndEpochs) {
  RunOrder order{.key = "k"};
  order.spec.model = "lenet5";
  order.spec.data = "fashion-mnist";
  order.spec.batch = 32;
  order.spec.epochs = 5;
  order.spec.schedule.kind = ScheduleKind::cosine;
  InputReady input;
  input.train_samples = 6000;
  const std::vector<Event> events = {{1, RunStarted{}},
                                     {2, input},
                                     {3, EpochDone{.epoch = 1, .top1 = 0.5}},
                                     {4, EpochDone{.epoch = 2, .top1 = 0.6}}};
  const auto curve = curve_of(fold(order, events));
  ASSERT_TRUE(curve.has_value());
  EXPECT_EQ(curve->setting.recipe, "sgd cosine");
  EXPECT_TRUE(curve->setting.decays);
  EXPECT_EQ(curve->setting.batch, 32);
  EXPECT_EQ(curve->setting.epoch_samples, 6000);
  EXPECT_EQ(curve->setting.planned_epochs, 5);
  EXPECT_THAT(curve->accuracy, ElementsAre(0.5, 0.6));
  EXPECT_THAT(curve->first(1).epochs, ElementsAre(1));
  EXPECT_FALSE(curve_of(fold(order, {})).has_value());
}

TEST(CurveCatalog, IsStrict) {
  EXPECT_EQ(problem_of(kRow), "");
  EXPECT_THAT(problem_of("m,d,sgd,rising,s,64,,1000,here,1,0.5\n"), HasSubstr("line 2: schedule"));
  EXPECT_THAT(problem_of("m,d,sgd,decay,s,64,,1000,here,1 1,0.5 0.6\n"), HasSubstr("ascend"));
  EXPECT_THAT(problem_of("m,d,sgd,decay,s,64,,1000,here,0 1,0.5 0.6\n"), HasSubstr("ascend"));
  EXPECT_THAT(problem_of("m,d,sgd,decay,s,64,,1000,here,1 2,0.5\n"), HasSubstr("as many"));
  EXPECT_THAT(problem_of("m,d,sgd,decay,s,64,,1000,here,1,1.5\n"), HasSubstr("between 0 and 1"));
  EXPECT_THAT(problem_of("m,d,sgd,decay,s,0,,1000,here,1,0.5\n"), HasSubstr("batch"));
}

TEST(CurveCatalog, SurvivesArbitraryBytes) {
  Random random(5, 0);
  const std::string whole = std::string(kHeading) + std::string(kRow);
  for (int i = 0; i < 20000; ++i) {
    const auto read = read_curves(mutated(whole, random));
    if (!read.ok()) continue;
    for (const Curve& curve : *read) EXPECT_EQ(curve.epochs.size(), curve.accuracy.size());
  }
}

TEST(TimeRecords, AreStrictAndSurviveArbitraryBytes) {
  const std::string whole =
      "model,data,metric,target,recipe,system,gpu,gpus,nodes,batch,epoch_samples,epochs,hours,"
      "source\nm,d,top1,0.7,r,s,A100,8,1,256,1000,35,0.5,x\nm,d,top1,0.7,r,s,A100,8,1,,1000,35,"
      "0.5,x\n";
  ASSERT_TRUE(read_time_records(whole).ok());
  Random random(6, 0);
  for (int i = 0; i < 20000; ++i) {
    const auto read = read_time_records(mutated(whole, random));
    if (!read.ok()) continue;
    for (const TimeRecord& record : *read) EXPECT_GT(record.hours, 0);
  }
}

TEST(PublishedData, CanBeRead) {
  EXPECT_GT(published_curves().size(), 500U);
  EXPECT_GT(published_time_records().size(), 300U);
}

}  // namespace
}  // namespace tacho
