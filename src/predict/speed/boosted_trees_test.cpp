#include "predict/speed/boosted_trees.h"

#include <gmock/gmock.h>

#include <array>

#include "base/random.h"
#include "predict/speed/correction.h"
#include "predict/speed/shipped.h"

#ifdef TACHO_XGBOOST
#include <xgboost/c_api.h>
#endif

namespace tacho {
namespace {

using ::testing::HasSubstr;

Json tree(std::vector<int> left, std::vector<int> right, std::vector<int> feature,
          std::vector<float> value) {
  return {{"left_children", std::move(left)},
          {"right_children", std::move(right)},
          {"split_indices", std::move(feature)},
          {"split_conditions", std::move(value)}};
}

Json model(Json::array_t trees) {
  return {{"learner", {{"gradient_booster", {{"model", {{"trees", std::move(trees)}}}}}}}};
}

TEST(BoostedTrees, AddTheLeavesOfAllTrees) {
  const Json json = model(
      {tree({1, -1, -1}, {2, -1, -1}, {1, 0, 0}, {0.5F, 10, 20}), tree({-1}, {-1}, {0}, {3})});
  const auto trees = BoostedTrees::read(json, 2);
  ASSERT_TRUE(trees.ok()) << trees.error().message;
  EXPECT_EQ(trees->predict(std::array{0.0F, 0.4F}), 13);
  EXPECT_EQ(trees->predict(std::array{0.0F, 0.5F}), 23);  // only smaller values go left
  EXPECT_EQ(trees->json(), json);
}

TEST(BoostedTrees, RefuseDamagedTrees) {
  const auto refusal = [](Json one) {
    const auto trees = BoostedTrees::read(model({std::move(one)}), 2);
    return trees.ok() ? "accepted" : trees.error().message;
  };
  EXPECT_THAT(refusal(Json::object()), HasSubstr("no nodes"));
  EXPECT_THAT(refusal(tree({-1}, {-1}, {0}, {})), HasSubstr("differ in length"));
  EXPECT_THAT(refusal(tree({1, 0}, {1, 0}, {0, 0}, {0, 0})), HasSubstr("wrong child"));
  EXPECT_THAT(refusal(tree({1, -1}, {2, -1}, {0, 0}, {0, 0})), HasSubstr("wrong child"));
  EXPECT_THAT(refusal(tree({1, -1, -1}, {2, -1, -1}, {2, 0, 0}, {0, 0, 0})),
              HasSubstr("unknown feature"));
  EXPECT_THAT(BoostedTrees::read(Json::array(), 2).error().message, HasSubstr("missing"));
}

#ifdef TACHO_XGBOOST
TEST(BoostedTrees, PredictAsXGBoostDoes) {
  const Json json = parse_json(shipped_speed_model())->at("correction");
  const auto trees = BoostedTrees::read(json, Correction::kFeatures);
  ASSERT_TRUE(trees.ok()) << trees.error().message;
  constexpr std::size_t kRows = 2000;
  Random random(1, 0);
  std::vector<float> values(kRows * Correction::kFeatures);
  for (float& value : values) value = static_cast<float>(random.between(-8, 8));

  BoosterHandle booster = nullptr;
  ASSERT_EQ(XGBoosterCreate(nullptr, 0, &booster), 0);
  const std::string text = json_text(json);
  ASSERT_EQ(XGBoosterLoadModelFromBuffer(booster, text.data(), text.size()), 0);
  DMatrixHandle matrix = nullptr;
  ASSERT_EQ(XGDMatrixCreateFromMat(values.data(), kRows, Correction::kFeatures, -1e30F, &matrix),
            0);
  bst_ulong length = 0;
  const float* expected = nullptr;
  ASSERT_EQ(XGBoosterPredict(booster, matrix, 0, 0, 0, &length, &expected), 0);
  ASSERT_EQ(length, kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::span row(values.data() + i * Correction::kFeatures, Correction::kFeatures);
    ASSERT_NEAR(trees->predict(row), expected[i], 1e-6) << "row " << i;
  }
  XGDMatrixFree(matrix);
  XGBoosterFree(booster);
}
#endif

}  // namespace
}  // namespace tacho
