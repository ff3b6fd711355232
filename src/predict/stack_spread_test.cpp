#include "predict/stack_spread.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacho {
namespace {

// Errors from 0 to `largest`, in even steps, all believed to be within 0.1.
void add(std::vector<Rehearsed>& to, const Setting& setting, int jobs, double largest) {
  for (int i = 1; i <= jobs; ++i) {
    to.push_back({.deviation = 0.1, .error = largest * i / jobs, .setting = setting});
  }
}

TEST(StackSpread, WidensWhereErrorsReachFurtherThanElsewhere) {
  std::vector<Rehearsed> rehearsed;
  add(rehearsed, {"steady"}, 5000, 0.2);
  add(rehearsed, {"usual"}, 5000, 0.2);
  add(rehearsed, {"cluster"}, 5000, 0.6);
  const StackSpread spread = StackSpread::learn(rehearsed);
  EXPECT_NEAR(spread.of({"usual"}), 1, 1e-3);
  EXPECT_NEAR(spread.of({"cluster"}), 3, 0.05);
  EXPECT_EQ(spread.of({"nobody's"}), 1);
}

TEST(StackSpread, ModelsItNeverRanAreAMatterOfTheirOwn) {
  std::vector<Rehearsed> rehearsed;
  add(rehearsed, {"steady"}, 5000, 0.2);
  add(rehearsed, {"cluster"}, 5000, 0.2);
  add(rehearsed, {"usual"}, 5000, 0.2);
  add(rehearsed, {"cluster", false}, 5000, 0.6);
  const StackSpread spread = StackSpread::learn(rehearsed);
  EXPECT_NEAR(spread.of({"cluster"}), 1, 1e-3);
  EXPECT_NEAR(spread.of({"cluster", false}), 3, 0.05);
}

TEST(StackSpread, SoAreGpusItNeverHadAndSeveralOfThem) {
  std::vector<Rehearsed> rehearsed;
  add(rehearsed, {"steady"}, 5000, 0.2);
  add(rehearsed, {"cluster"}, 5000, 0.2);
  add(rehearsed, {"usual"}, 5000, 0.2);
  add(rehearsed, {"cluster", true, false, Scale::one_node}, 500, 0.6);
  const StackSpread spread = StackSpread::learn(rehearsed);
  EXPECT_NEAR(spread.of({"cluster"}), 1, 0.05);
  EXPECT_NEAR(spread.of({"cluster", true, false, Scale::one_node}), 3, 0.4);
  // Of which there is none: as of all its jobs.
  EXPECT_NEAR(spread.of({"cluster", true, false, Scale::one_gpu}), 1.1, 0.1);
}

TEST(StackSpread, AFewJobsSayLittle) {
  std::vector<Rehearsed> rehearsed;
  add(rehearsed, {"a"}, 1000, 0.2);
  add(rehearsed, {"b"}, 1000, 0.2);
  add(rehearsed, {"new"}, 5, 2);
  const double factor = StackSpread::learn(rehearsed).of({"new"});
  EXPECT_GT(factor, 1);
  EXPECT_LT(factor, 1.3);
}

TEST(StackSpread, NothingRehearsedChangesNothing) {
  EXPECT_EQ(StackSpread::learn({}).of({"a"}), 1);
}

}  // namespace
}  // namespace tacho
