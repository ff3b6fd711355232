#include "predict/accuracy/epoch_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "predict/accuracy/evaluate_transfer.h"

namespace tacho {
namespace {

using testing::HasSubstr;

// Rises to `highest`, the faster the smaller `slowness` is.
Curve curve_of(std::string model, std::string data, double highest, double slowness) {
  Curve curve;
  curve.setting = {.model = std::move(model),
                   .data = std::move(data),
                   .recipe = "sgd",
                   .system = "here",
                   .batch = 64,
                   .epoch_samples = 10000,
                   .planned_epochs = 30};
  for (int i = 1; i <= 30; ++i) {
    curve.epochs.push_back(i);
    curve.accuracy.push_back(highest * (1 - std::exp(-i / slowness)));
  }
  return curve;
}

TEST(EpochTransfer, TakesTheEpochsToTheSameShareOfTheHighestAccuracy) {
  const std::vector<Curve> known = {curve_of("a", "set", 0.9, 5), curve_of("b", "set", 0.9, 5),
                                    curve_of("a", "other", 0.9, 5), curve_of("b", "other", 0.9, 5),
                                    curve_of("new", "other", 0.9, 5)};
  const EpochTransfer transfer(known);
  const auto answer = transfer.needed({"new", "set", 0.8, 64}, 0.8);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_NEAR(answer->epochs.value, 5 * std::log(1 / (1 - 0.8 / 0.9)), 2);
  EXPECT_LT(answer->epochs.low, answer->epochs.value / 2);
  EXPECT_GT(answer->epochs.high, answer->epochs.value * 2);
  EXPECT_EQ(answer->basis, "trainings of 2 other models on set");
}

TEST(EpochTransfer, IsWideIfModelsDiffer) {
  const auto width = [](double slowness) {
    std::vector<Curve> known;
    for (int model = 0; model < 9; ++model) {
      known.push_back(curve_of(std::string(1, static_cast<char>('a' + model)), "set", 0.9,
                               model % 2 == 0 ? 2 : slowness));
    }
    const auto answer = EpochTransfer(known).needed({"new", "set", 0.7, 64}, 0.7);
    return std::log(answer->epochs.high / answer->epochs.low);
  };
  EXPECT_GT(width(8), 2 * width(2.2));
}

TEST(EpochTransfer, AbstainsAboveTheExpectedAccuracyAndWithoutTrainings) {
  std::vector<Curve> known;
  for (const char* model : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    known.push_back(curve_of(model, "set", 0.5, 4));
  }
  const EpochTransfer transfer(known);
  EXPECT_THAT(transfer.needed({"new", "set", 0.9, 64}, 0.9).error().message,
              HasSubstr("is not expected to reach this target"));
  EXPECT_THAT(transfer.needed({"new", "nothing", 0.5, 64}, 0.5).error().message,
              HasSubstr("no training of any model on nothing"));
  EXPECT_NEAR(*transfer.likely_quality("new", "set"), 0.5, 0.01) << "all reach the same";
}

TEST(EpochTransfer, IsEvaluatedOnModelsThatWereHeldOut) {
  std::vector<Curve> known;
  for (const char* model : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    known.push_back(curve_of(model, "set", 0.8, 4));
  }
  known.push_back(curve_of("odd", "set", 0.8, 12));
  const auto scores = evaluate_transfer(known);
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].data, "set");
  EXPECT_EQ(scores[1].data, "all");
  EXPECT_EQ(scores[0].models, 10U);
  EXPECT_LT(scores[0].median_factor, 1.3);
  EXPECT_NEAR(scores[0].coverage, 0.9, 0.05) << "all but the odd one";
}

TEST(EpochTransfer, IgnoresFineTuningAndSmallParts) {
  Curve tuned = curve_of("a", "set", 0.9, 1);
  tuned.setting.recipe = "sgd pretrained";
  Curve part = curve_of("b", "set", 0.9, 1);
  part.setting.epoch_samples = 1000;
  const EpochTransfer transfer(std::vector<Curve>{tuned, part, curve_of("c", "set", 0.9, 5)});
  EXPECT_TRUE(transfer.points("a", "set", 0.5).empty());
  EXPECT_TRUE(transfer.points("b", "set", 0.5).empty());
  EXPECT_EQ(transfer.points("c", "set", 0.5).size(), 1U);
}

}  // namespace
}  // namespace tacho
