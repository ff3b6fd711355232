#include "predict/speed/speed_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/mutation.h"
#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

const std::string& learned_text() {
  static const std::string text = *SpeedModel::learn(made::examples(), made::kEffort)->text();
  return text;
}

TEST(SpeedModel, IsDeterministic) {
  EXPECT_EQ(*SpeedModel::learn(made::examples(), made::kEffort)->text(), learned_text());
}

TEST(SpeedModel, RoundTripsThroughAFile) {
  const auto learned = SpeedModel::learn(made::examples(), made::kEffort);
  const auto read = SpeedModel::read(learned_text());
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::vector<JobPoint> points;
  for (const TrainingExample& example : made::examples()) points.push_back(example.point);
  const auto before = *learned->predict(points, 2);
  const auto after = *read->predict(points, 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(before[i].log_seconds, after[i].log_seconds, 1e-3);
    EXPECT_NEAR(before[i].reach, after[i].reach, 1e-3);
  }
}

TEST(SpeedModel, AbstainsForSeveralNodesIfSpeedsAreIrregularOnOne) {
  std::vector<TrainingExample> examples = made::examples();
  TrainingExample jumpy = examples.front();
  for (int i = 0; i < 8; ++i) {
    jumpy.point.batch = std::exp2(i);
    jumpy.error += i % 2 == 0 ? 0.5 : -0.5;
    examples.push_back(jumpy);
  }
  JobPoint asked = jumpy.point;
  const auto learned = SpeedModel::learn(examples, made::kEffort);
  EXPECT_EQ(learned->blank_in(asked), SpeedModel::Blank::none);
  asked.measures[Measure::nodes] = std::log(2.0F);
  EXPECT_EQ(learned->blank_in(asked), SpeedModel::Blank::hosts);
  EXPECT_EQ(SpeedModel::read(*learned->text())->blank_in(asked), SpeedModel::Blank::hosts);
  EXPECT_EQ(SpeedModel::read(learned_text())->blank_in(asked), SpeedModel::Blank::far);
}

TEST(SpeedModel, RejectsOtherFiles) {
  for (const char* text : {"", "{}", "[1]", "{\"tacho_speed_model\": 1}"}) {
    EXPECT_FALSE(SpeedModel::read(text).ok()) << text;
  }
}

TEST(SpeedModel, SurvivesDamage) {
  const std::string whole = learned_text();
  Random random(4, 2);
  for (int i = 0; i < 60; ++i) {
    const auto model = SpeedModel::read(mutated(whole, random));
    EXPECT_TRUE(model.ok() || !model.error().message.empty());
  }
}

}  // namespace
}  // namespace tacho
