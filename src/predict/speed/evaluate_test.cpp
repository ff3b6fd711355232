#include "predict/speed/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

TEST(Evaluate, FindsSmallErrorsForASimpleLaw) {
  const Evaluation how{.folds = 4, .seed = 1, .effort = made::kEffort};
  int folds = 0;
  const auto examples = made::examples();
  const auto predicted =
      predict_held_out(examples, SplitKind::unseen_gpu, how, [&folds] { ++folds; });
  ASSERT_TRUE(predicted.ok()) << predicted.error().message;
  EXPECT_EQ(folds, 4);
  EXPECT_EQ(predicted->size(), examples.size());
  const SplitScore found = score(examples, SplitKind::unseen_gpu, *predicted);
  EXPECT_EQ(found.jobs + found.out_of_domain, examples.size());
  EXPECT_LT(found.median_error, 0.08);
  EXPECT_GT(found.coverage, 0.6);  // of eight GPUs, whose jobs have correlated errors
}

TEST(Evaluate, LogErrorIsPublishedOverPredicted) {
  std::vector<TrainingExample> examples(2);
  examples[0].error = std::log(1.2);
  examples[1].error = std::log(0.5);
  for (TrainingExample& example : examples) example.source = "one";
  examples[1].nodes = 2;
  const StepPosterior as_modelled{.log_seconds = 0, .reach = std::log(1.5), .deviation = 0.1};
  const SplitScore found =
      score(examples, SplitKind::unseen_model,
            {{.example = 0, .fold = 1, .posterior = as_modelled, .in_domain = true},
             {.example = 1, .fold = 2, .posterior = as_modelled, .in_domain = true},
             {.example = 0, .fold = 2, .posterior = as_modelled}});
  EXPECT_EQ(found.jobs, 2U);
  EXPECT_EQ(found.out_of_domain, 1U);
  EXPECT_NEAR(found.mean_error, (0.2 + 0.5) / 2, 1e-12);
  EXPECT_DOUBLE_EQ(found.coverage, 0.5);
  EXPECT_EQ(found.one_node.errors.jobs, 1U);
  EXPECT_EQ(found.one_node.out_of_domain, 1U);
  EXPECT_DOUBLE_EQ(found.one_node.coverage, 1);
  EXPECT_EQ(found.several_nodes.errors.jobs, 1U);
  EXPECT_DOUBLE_EQ(found.several_nodes.coverage, 0);
  EXPECT_NEAR(found.of_all.mean_error, (0.2 + 0.5 + 0.2) / 3, 1e-12);
}

}  // namespace
}  // namespace tacho
