#include "predict/speed/stack_spread.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacho {
namespace {

constexpr Novelty kNewModel{.model = ModelNovelty::relative};
constexpr Novelty kNewGpu{.gpu = GpuNovelty::generation};

// Errors from 0 to `largest` in even steps, all with a deviation of 0.1.
void add(std::vector<CrossValidated>& to, const std::string& stack, int jobs, double largest,
         const Novelty& novelty = {}, bool one_gpu = true) {
  for (int i = 1; i <= jobs; ++i) {
    to.push_back({.deviation = 0.1,
                  .error = largest * i / jobs,
                  .novelty = novelty,
                  .stack = stack,
                  .one_gpu = one_gpu});
  }
}

TEST(StackSpread, WidensForLargerErrors) {
  std::vector<CrossValidated> cross_validated;
  add(cross_validated, "steady", 5000, 0.2);
  add(cross_validated, "usual", 5000, 0.2);
  add(cross_validated, "cluster", 5000, 0.6);
  const StackSpread spread = StackSpread::learn(cross_validated);
  EXPECT_NEAR(spread.of({}, "usual", true), 1, 1e-3);
  EXPECT_NEAR(spread.of({}, "cluster", true), 3, 0.05);
  EXPECT_EQ(spread.of({}, "nobody's", true), 1);
}

TEST(StackSpread, NewModelsHaveASeparateFactor) {
  std::vector<CrossValidated> cross_validated;
  add(cross_validated, "steady", 5000, 0.2);
  add(cross_validated, "cluster", 5000, 0.2);
  add(cross_validated, "usual", 5000, 0.2);
  add(cross_validated, "cluster", 5000, 0.6, kNewModel);
  const StackSpread spread = StackSpread::learn(cross_validated);
  EXPECT_NEAR(spread.of({}, "cluster", true), 1, 1e-3);
  EXPECT_NEAR(spread.of(kNewModel, "cluster", true), 3, 0.05);
}

TEST(StackSpread, NewGpusAndSeveralGpusHaveSeparateFactors) {
  std::vector<CrossValidated> cross_validated;
  add(cross_validated, "steady", 5000, 0.2);
  add(cross_validated, "cluster", 5000, 0.2);
  add(cross_validated, "usual", 5000, 0.2);
  add(cross_validated, "cluster", 500, 0.6, kNewGpu, false);
  const StackSpread spread = StackSpread::learn(cross_validated);
  EXPECT_NEAR(spread.of({}, "cluster", true), 1, 0.05);
  EXPECT_NEAR(spread.of(kNewGpu, "cluster", false), 3, 0.4);
  // No such jobs: the factor of all of its jobs.
  EXPECT_NEAR(spread.of(kNewGpu, "cluster", true), 1.1, 0.1);
}

TEST(StackSpread, FewJobsHaveLittleWeight) {
  std::vector<CrossValidated> cross_validated;
  add(cross_validated, "a", 1000, 0.2);
  add(cross_validated, "b", 1000, 0.2);
  add(cross_validated, "new", 5, 2);
  const double factor = StackSpread::learn(cross_validated).of({}, "new", true);
  EXPECT_GT(factor, 1);
  EXPECT_LT(factor, 1.3);
}

TEST(StackSpread, IsOneWithoutCrossValidation) {
  EXPECT_EQ(StackSpread::learn({}).of({}, "a", true), 1);
}

}  // namespace
}  // namespace tacho
