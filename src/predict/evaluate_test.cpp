#include "predict/evaluate.h"

#include <gtest/gtest.h>

#include "predict/made_jobs.h"

namespace tacho {
namespace {

TEST(Evaluate, FindsSmallErrorsWhereTheLawIsSimple) {
  const Evaluation how{.folds = 4, .seed = 1, .effort = made::kEffort};
  int folds = 0;
  const auto score = evaluate(made::lessons(), SplitKind::unseen_gpu, how, [&folds] { ++folds; });
  ASSERT_TRUE(score.ok()) << score.error().message;
  EXPECT_EQ(folds, 4);
  EXPECT_EQ(score->jobs + score->out_of_domain, made::lessons().size());
  EXPECT_LT(score->median_error, 0.08);
  EXPECT_GT(score->coverage, 0.6);  // of eight GPUs, whose jobs are right or wrong together
}

}  // namespace
}  // namespace tacho
