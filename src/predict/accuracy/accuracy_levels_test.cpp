#include "predict/accuracy/accuracy_levels.h"

#include <gtest/gtest.h>

#include "predict/accuracy/curve_family.h"
#include "predict/accuracy/held_out_reach.h"

namespace tacho {
namespace {

// Known truth: the logit of an accuracy is a sum.
std::vector<PairLevel> made_pairs() {
  std::vector<PairLevel> pairs;
  for (int data = 0; data < 4; ++data) {
    for (int model = 0; model < 6; ++model) {
      pairs.push_back({std::string(1, static_cast<char>('a' + model)), "set" + std::to_string(data),
                       logistic(0.5 * data + 0.3 * model)});
    }
  }
  return pairs;
}

TEST(AccuracyLevels, AddsTheEaseOfTheDatasetAndTheStrengthOfTheModel) {
  std::vector<PairLevel> pairs = made_pairs();
  const PairLevel hidden = pairs[8];  // c on set1
  pairs.erase(pairs.begin() + 8);
  const auto told = AccuracyLevels(pairs).expected("c", "set1");
  ASSERT_TRUE(told.has_value());
  EXPECT_NEAR(told->value, hidden.accuracy, 0.03);
  EXPECT_LT(told->low, hidden.accuracy);
  EXPECT_GT(told->high, hidden.accuracy);
}

TEST(AccuracyLevels, KnowsLessOfAModelThatWasNeverTrained) {
  const AccuracyLevels levels(made_pairs());
  const auto known = levels.expected("c", "set1");
  const auto unknown = levels.expected("new", "set1");
  ASSERT_TRUE(known && unknown);
  EXPECT_GT(unknown->high - unknown->low, known->high - known->low);
  EXPECT_FALSE(levels.expected("c", "new set").has_value());
}

TEST(AccuracyLevels, AbstainsForAModelMuchWeakerThanAllKnownOnes) {
  std::vector<PairLevel> pairs = made_pairs();
  pairs.push_back({"small", "set0", 0.1});
  pairs.push_back({"small", "set2", 0.15});
  const AccuracyLevels levels(pairs);
  EXPECT_FALSE(levels.expected("small", "set1").has_value());
  EXPECT_TRUE(levels.expected("a", "set1").has_value());
  pairs.push_back({"tiny", "set1", 0.1});
  EXPECT_TRUE(AccuracyLevels(pairs).expected("small", "set1").has_value());
}

TEST(AccuracyLevels, TakesAKnownAccuracyAsItIs) {
  const auto pairs = made_pairs();
  EXPECT_EQ(AccuracyLevels(pairs).known_or_expected("c", "set1")->value, pairs[8].accuracy);
}

TEST(HeldOutReach, CoversNineOfTenGroupsHoweverManyErrorsTheyHave) {
  HeldOutReach many;
  for (int i = 1; i <= 19; ++i) many.add({0.1 * i});
  EXPECT_NEAR(many.reach(9), 1.8, 1e-9);
  HeldOutReach few;
  few.add({0.1, 0.1, 0.1, 0.1});
  few.add({0.5});
  EXPECT_EQ(few.reach(0.2), 0.5) << "the worst of few";
  EXPECT_EQ(few.reach(9), 9);
}

}  // namespace
}  // namespace tacho
