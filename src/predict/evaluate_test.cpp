#include "predict/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/made_jobs.h"

namespace tacho {
namespace {

TEST(Evaluate, FindsSmallErrorsWhereTheLawIsSimple) {
  const Evaluation how{.folds = 4, .seed = 1, .effort = made::kEffort};
  int folds = 0;
  const auto lessons = made::lessons();
  const auto foretold = foretell_hidden(lessons, SplitKind::unseen_gpu, how, [&folds] { ++folds; });
  ASSERT_TRUE(foretold.ok()) << foretold.error().message;
  EXPECT_EQ(folds, 4);
  EXPECT_EQ(foretold->size(), lessons.size());
  const SplitScore found = score(lessons, SplitKind::unseen_gpu, *foretold);
  EXPECT_EQ(found.jobs + found.out_of_domain, lessons.size());
  EXPECT_LT(found.median_error, 0.08);
  EXPECT_GT(found.coverage, 0.6);  // of eight GPUs, whose jobs are right or wrong together
}

TEST(Evaluate, CountsAsOffWhatThePublishedStepIsLongerThanTheForetold) {
  std::vector<Lesson> lessons(2);
  lessons[0].error = std::log(1.2);
  lessons[1].error = std::log(0.5);
  for (Lesson& lesson : lessons) lesson.source = "one";
  const StepBelief as_modelled{.log_seconds = 0, .reach = std::log(1.5), .deviation = 0.1};
  const SplitScore found =
      score(lessons, SplitKind::unseen_model,
            {{.lesson = 0, .fold = 1, .belief = as_modelled, .in_domain = true},
             {.lesson = 1, .fold = 2, .belief = as_modelled, .in_domain = true},
             {.lesson = 1, .fold = 2, .belief = as_modelled}});
  EXPECT_EQ(found.jobs, 2U);
  EXPECT_EQ(found.out_of_domain, 1U);
  EXPECT_NEAR(found.mean_error, (0.2 + 0.5) / 2, 1e-12);
  EXPECT_DOUBLE_EQ(found.coverage, 0.5);
  EXPECT_NEAR(found.of_all.mean_error, (0.2 + 0.5 + 0.5) / 3, 1e-12);
}

}  // namespace
}  // namespace tacho
