#include "predict/speed/stack_spread.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacho {
namespace {

// Errors from 0 to `largest` in even steps, all with a deviation of 0.1.
void add(std::vector<CrossValidated>& to, const Setting& setting, int jobs, double largest) {
  for (int i = 1; i <= jobs; ++i) {
    to.push_back({.deviation = 0.1, .error = largest * i / jobs, .setting = setting});
  }
}

TEST(StackSpread, WidensForLargerErrors) {
  std::vector<CrossValidated> cross_validated;
  add(cross_validated, {"steady"}, 5000, 0.2);
  add(cross_validated, {"usual"}, 5000, 0.2);
  add(cross_validated, {"cluster"}, 5000, 0.6);
  const StackSpread spread = StackSpread::learn(cross_validated);
  EXPECT_NEAR(spread.of({"usual"}), 1, 1e-3);
  EXPECT_NEAR(spread.of({"cluster"}), 3, 0.05);
  EXPECT_EQ(spread.of({"nobody's"}), 1);
}

TEST(StackSpread, NewModelsHaveASeparateFactor) {
  std::vector<CrossValidated> cross_validated;
  add(cross_validated, {"steady"}, 5000, 0.2);
  add(cross_validated, {"cluster"}, 5000, 0.2);
  add(cross_validated, {"usual"}, 5000, 0.2);
  add(cross_validated, {"cluster", false}, 5000, 0.6);
  const StackSpread spread = StackSpread::learn(cross_validated);
  EXPECT_NEAR(spread.of({"cluster"}), 1, 1e-3);
  EXPECT_NEAR(spread.of({"cluster", false}), 3, 0.05);
}

TEST(StackSpread, NewGpusAndSeveralGpusHaveSeparateFactors) {
  std::vector<CrossValidated> cross_validated;
  add(cross_validated, {"steady"}, 5000, 0.2);
  add(cross_validated, {"cluster"}, 5000, 0.2);
  add(cross_validated, {"usual"}, 5000, 0.2);
  add(cross_validated, {"cluster", true, false, Scale::one_node}, 500, 0.6);
  const StackSpread spread = StackSpread::learn(cross_validated);
  EXPECT_NEAR(spread.of({"cluster"}), 1, 0.05);
  EXPECT_NEAR(spread.of({"cluster", true, false, Scale::one_node}), 3, 0.4);
  // No such jobs: the factor of all of its jobs.
  EXPECT_NEAR(spread.of({"cluster", true, false, Scale::one_gpu}), 1.1, 0.1);
}

TEST(StackSpread, FewJobsHaveLittleWeight) {
  std::vector<CrossValidated> cross_validated;
  add(cross_validated, {"a"}, 1000, 0.2);
  add(cross_validated, {"b"}, 1000, 0.2);
  add(cross_validated, {"new"}, 5, 2);
  const double factor = StackSpread::learn(cross_validated).of({"new"});
  EXPECT_GT(factor, 1);
  EXPECT_LT(factor, 1.3);
}

TEST(StackSpread, IsOneWithoutCrossValidation) { EXPECT_EQ(StackSpread::learn({}).of({"a"}), 1); }

}  // namespace
}  // namespace tacho
