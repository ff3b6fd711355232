#include "cli/compare_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/train_options.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<ComparePlan> plan_for(const CompareRequest& request) {
  return plan_of(request, read_train_words);
}

const std::vector<std::string> kTrain = {"train", "mnist-cnn", "--data", "synthetic", "-b", "16"};

std::vector<std::string> names_of(const Result<ComparePlan>& plan) {
  if (!plan.ok()) return {plan.error().message};
  std::vector<std::string> names;
  for (const PlannedVariant& variant : plan->variants) {
    names.push_back(variant.shown.group + "/" + variant.shown.name);
  }
  return names;
}

std::string why_not(const CompareRequest& options) {
  const auto plan = plan_for(options);
  return plan.ok() ? "" : plan.error().message;
}

TEST(CompareOptions, AnOptionOfTrainVaries) {
  const auto plan = plan_for({.vary = {"batch=32,64"}, .words = kTrain});
  EXPECT_THAT(names_of(plan), ElementsAre("/batch 32", "/batch 64"));
  EXPECT_EQ(std::get<RunSpec>(plan->variants[0].what).batch, 32);
  EXPECT_EQ(std::get<RunSpec>(plan->variants[1].what).batch, 64);
  EXPECT_EQ(plan->title, "train mnist-cnn --data synthetic -b 16");
}

TEST(CompareOptions, EnvironmentsAreComparedWithinEachGroup) {
  const auto plan = plan_for({.environments = {"bare,podman:localhost/tacho"},
                              .vary = {"batch=32,64", "threads=1,2"},
                              .words = kTrain});
  EXPECT_THAT(names_of(plan),
              ElementsAre("batch 32, threads 1/bare", "batch 32, threads 1/podman",
                          "batch 32, threads 2/bare", "batch 32, threads 2/podman",
                          "batch 64, threads 1/bare", "batch 64, threads 1/podman",
                          "batch 64, threads 2/bare", "batch 64, threads 2/podman"));
  const PlannedVariant& last = plan->variants.back();
  EXPECT_EQ(std::get<RunSpec>(last.what).batch, 64);
  EXPECT_EQ(std::get<RunSpec>(last.what).threads, 2);
  EXPECT_EQ(last.environment.kind, EnvironmentKind::podman);
  EXPECT_EQ(last.shown.description, "podman:localhost/tacho");
}

TEST(CompareOptions, OneEnvironmentIsWhereAllOthersRun) {
  const auto plan =
      plan_for({.environments = {"podman:tacho"}, .vary = {"batch=32,64"}, .words = kTrain});
  EXPECT_THAT(names_of(plan), ElementsAre("/batch 32", "/batch 64"));
  EXPECT_EQ(plan->variants.front().environment.kind, EnvironmentKind::podman);
}

TEST(CompareOptions, ProgramsAreSplitIntoWordsWithoutAShell) {
  const auto plan =
      plan_for({.commands = {"python3 a.py --name 'two words'", "python3 \"b c.py\" $HOME"}});
  EXPECT_THAT(names_of(plan), ElementsAre("/a.py", "/b c.py"));
  EXPECT_THAT(std::get<CommandSpec>(plan->variants[0].what).argv,
              ElementsAre("python3", "a.py", "--name", "two words"));
  EXPECT_THAT(std::get<CommandSpec>(plan->variants[1].what).argv,
              ElementsAre("python3", "b c.py", "$HOME"));
  EXPECT_FALSE(std::get<CommandSpec>(plan->variants[0].what).trace);
}

TEST(CompareOptions, EqualNamesAreNumbered) {
  EXPECT_THAT(names_of(plan_for({.commands = {"true", "true", "true"}})),
              ElementsAre("/true", "/true #2", "/true #3"));
  EXPECT_THAT(names_of(plan_for({.environments = {"podman:a,podman:b"}, .words = kTrain})),
              ElementsAre("/podman:a", "/podman:b"));
}

TEST(CompareOptions, TheRuleIsAsAsked) {
  const auto plan = plan_for({.vary = {"batch=32,64"},
                              .words = kTrain,
                              .resolution = "0.5%",
                              .max_time = "10m",
                              .repeat = 200});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_DOUBLE_EQ(plan->rule.resolution, 0.005);
  EXPECT_EQ(plan->rule.max_time, Seconds(600));
  EXPECT_EQ(plan->rule.min_repeats, 200);
  EXPECT_EQ(plan->rule.max_repeats, 200);
}

TEST(CompareOptions, SayWhatIsWrong) {
  EXPECT_THAT(why_not({}), HasSubstr("nothing to run"));
  EXPECT_THAT(why_not({.words = kTrain}), HasSubstr("needs two or more variants"));
  EXPECT_THAT(why_not({.commands = {"true"}}), HasSubstr("needs two or more variants"));
  EXPECT_THAT(why_not({.words = {"fly", "me"}}), HasSubstr("'fly' cannot be compared"));
  EXPECT_THAT(why_not({.commands = {"true", "false"}, .words = kTrain}),
              HasSubstr("exclude each other"));
  EXPECT_THAT(why_not({.vary = {"batch=1,2"}, .commands = {"true"}}),
              HasSubstr("--vary is for options of train"));
  EXPECT_THAT(why_not({.vary = {"batch"}, .words = kTrain}), HasSubstr("has no values"));
  EXPECT_THAT(why_not({.vary = {"batch=32"}, .words = kTrain}), HasSubstr("has one value"));
  EXPECT_THAT(why_not({.vary = {"batch=32,,64"}, .words = kTrain}), HasSubstr("empty value"));
  EXPECT_THAT(why_not({.vary = {"bacth=1,2"}, .words = kTrain}),
              HasSubstr("did you mean 'batch'?"));
  EXPECT_THAT(why_not({.vary = {"batch=1,-2"}, .words = kTrain}), HasSubstr("batch"));
  EXPECT_THAT(why_not({.environments = {"bare,dockr:x"}, .words = kTrain}),
              HasSubstr("did you mean 'docker'"));
  EXPECT_THAT(why_not({.commands = {"true", "'false"}}), HasSubstr("never closed"));
  EXPECT_THAT(why_not({.commands = {"true", " "}}), HasSubstr("no program named"));
  EXPECT_THAT(why_not({.commands = {"true", "true"}, .resolution = "1"}),
              HasSubstr("--resolution: '1' is not a valid percentage"));
  EXPECT_THAT(why_not({.commands = {"true", "true"}, .max_time = "10"}),
              HasSubstr("--max-time: '10' is not a valid duration"));
  EXPECT_THAT(why_not({.commands = {"true", "true"}, .repeat = 1}), HasSubstr("--repeat must"));
}

}  // namespace
}  // namespace tacho
