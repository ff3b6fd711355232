#include "experiments/trials/trial_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names_for(const ProgramFacts& program) {
  std::vector<std::string> names;
  for (const TrialChange& change : changes_for(program, all_changes(8))) {
    names.push_back(change.name);
  }
  return names;
}

TEST(TrialChange, AProgramWithoutPyTorchGetsEnvironmentVariablesOnly) {
  for (const TrialChange& change : changes_for({}, all_changes(8))) {
    EXPECT_FALSE(change.in_python) << change.name;
    EXPECT_FALSE(change.variables.empty()) << change.name;
  }
}

TEST(TrialChange, GpusGetOtherChangesThanProcessors) {
  const auto on_cpu = names_for({.pytorch = true});
  EXPECT_THAT(on_cpu, Contains("threads-4"));
  EXPECT_THAT(on_cpu, Not(Contains("tf32")));
  const auto on_gpu = names_for({.pytorch = true, .gpu = true});
  EXPECT_THAT(on_gpu, Contains("tf32"));
  EXPECT_THAT(on_gpu, Not(Contains("threads-4")));
}

TEST(TrialChange, FewProcessorsGiveFewNumbersOfThreads) {
  int threads = 0;
  for (const TrialChange& change : all_changes(1)) threads += change.family == "threads" ? 1 : 0;
  EXPECT_EQ(threads, 1);
}

TEST(TrialChange, AnUnknownNameIsAnErrorWithASuggestion) {
  const std::vector<std::string> right = {"bf16", "channels-last"};
  ASSERT_TRUE(named_changes(right, all_changes(2)).ok());
  EXPECT_EQ(named_changes(right, all_changes(2))->size(), 2U);
  const std::vector<std::string> wrong = {"chanels-last"};
  EXPECT_THAT(named_changes(wrong, all_changes(2)).error().message, HasSubstr("channels-last"));
}

}  // namespace
}  // namespace tacho
