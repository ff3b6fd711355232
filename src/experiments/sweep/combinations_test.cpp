#include "experiments/sweep/combinations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/sweep/test_grids.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts_of(std::string_view grid) {
  const auto all = combinations(*grid_of(grid));
  if (!all.ok()) return {all.error().message};
  std::vector<std::string> texts;
  for (const Configuration& each : *all) texts.push_back(to_text(each));
  return texts;
}

TEST(Combinations, TheLastOptionChangesFastest) {
  EXPECT_THAT(texts_of("base: {model: a}\nmatrix: {batch: [1, 2], lr: [3, 4]}\n"),
              ElementsAre("model=a batch=1 lr=3", "model=a batch=1 lr=4", "model=a batch=2 lr=3",
                          "model=a batch=2 lr=4"));
}

TEST(Combinations, WithoutAMatrixTheBaseIsTheOnlyOne) {
  EXPECT_THAT(texts_of("base: {model: a}\n"), ElementsAre("model=a"));
  EXPECT_THAT(texts_of("base: {model: a}\ninclude: [{batch: 1}, {batch: 2}]\n"),
              ElementsAre("model=a batch=1", "model=a batch=2"));
}

TEST(Combinations, TheMatrixOverridesTheBase) {
  EXPECT_THAT(texts_of("base: {batch: 7, model: a}\nmatrix: {batch: [1, 2]}\n"),
              ElementsAre("batch=1 model=a", "batch=2 model=a"));
}

TEST(Combinations, SeedsChangeFastest) {
  EXPECT_THAT(texts_of("base: {model: a}\nmatrix: {batch: [1, 2]}\nseeds: [5, 9]\n"),
              ElementsAre("model=a batch=1 seed=5", "model=a batch=1 seed=9",
                          "model=a batch=2 seed=5", "model=a batch=2 seed=9"));
}

TEST(Combinations, ExcludeRemovesMatchingCombinations) {
  EXPECT_THAT(texts_of("base: {model: a}\nmatrix: {batch: [1, 2], lr: [3, 4]}\n"
                       "exclude: [{batch: 1, lr: 4}, {batch: 2, lr: 3}]\n"),
              ElementsAre("model=a batch=1 lr=3", "model=a batch=2 lr=4"));
  EXPECT_THAT(texts_of("base: {model: a}\nmatrix: {batch: [1]}\nexclude: [{batch: 1}]\n"),
              ElementsAre("'exclude' removes every configuration"));
}

TEST(Combinations, IncludeExtendsCombinationsThatItDoesNotContradict) {
  EXPECT_THAT(
      texts_of("base: {model: a}\nmatrix: {batch: [1, 2]}\n"
               "include: [{lr: 5}, {batch: 2, steps: 9}, {batch: 3, lr: 6}]\n"),
      ElementsAre("model=a batch=1 lr=5", "model=a batch=2 lr=5 steps=9", "model=a batch=3 lr=6"));
}

TEST(Combinations, RejectEqualConfigurations) {
  EXPECT_THAT(texts_of("base: {model: a}\nmatrix: {batch: [1]}\n"
                       "include: [{batch: 2, lr: 1}, {lr: 1, batch: 2}]\n"),
              ElementsAre(HasSubstr("configurations 2 and 3 are the same")));
}

TEST(Combinations, RejectMoreThanAMillion) {
  EXPECT_THAT(texts_of("base: {model: a}\nmatrix: {batch: {from: 1, to: 9999}, seed: {from: 1, to: "
                       "9999}}\n"),
              ElementsAre("the matrix has more than 1000000 configurations"));
}

}  // namespace
}  // namespace tacho
