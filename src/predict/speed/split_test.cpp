#include "predict/speed/split.h"

#include <gtest/gtest.h>

#include <set>

#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

TEST(Split, NeverLearnsFromAGroupThatIsPredicted) {
  const auto examples = made::examples();
  for (const auto& [kind, which] :
       {std::pair{SplitKind::unseen_gpu, Label::gpu}, {SplitKind::unseen_model, Label::model}}) {
    std::size_t predicted = 0;
    for (const Fold& fold : make_folds(examples, kind, 4, 1)) {
      std::set<std::string> learned;
      for (const std::size_t i : fold.learned) learned.insert(examples[i].point.labels[which]);
      for (const std::size_t i : fold.predicted) {
        EXPECT_FALSE(learned.contains(examples[i].point.labels[which]));
      }
      predicted += fold.predicted.size();
    }
    EXPECT_EQ(predicted, examples.size());
  }
}

TEST(Split, OfBothHoldsOutModelAndGpu) {
  const auto examples = made::examples();
  for (const Fold& fold : make_folds(examples, SplitKind::unseen_both, 4, 1)) {
    std::set<std::string> gpus;
    std::set<std::string> models;
    for (const std::size_t i : fold.learned) {
      gpus.insert(examples[i].point.labels[Label::gpu]);
      models.insert(examples[i].point.labels[Label::model]);
    }
    for (const std::size_t i : fold.predicted) {
      EXPECT_FALSE(gpus.contains(examples[i].point.labels[Label::gpu]));
      EXPECT_FALSE(models.contains(examples[i].point.labels[Label::model]));
    }
  }
}

TEST(Split, OfNodesPredictsOnlyJobsOnSeveralNodes) {
  auto examples = made::examples();
  for (std::size_t i = 0; i < examples.size(); i += 3) examples[i].nodes = 4;
  for (const Fold& fold : make_folds(examples, SplitKind::unseen_nodes, 3, 1)) {
    EXPECT_FALSE(fold.predicted.empty());
    for (const std::size_t i : fold.predicted) EXPECT_EQ(examples[i].nodes, 4);
  }
}

TEST(Split, OfGrowthUsesASourcesJobsOnOneNode) {
  auto examples = made::examples();
  for (std::size_t i = 0; i < examples.size(); i += 3) examples[i].nodes = 4;
  std::size_t predicted = 0;
  for (const Fold& fold : make_folds(examples, SplitKind::unseen_growth, 2, 1)) {
    std::set<std::string> hidden;
    for (const std::size_t i : fold.predicted) hidden.insert(examples[i].source);
    std::size_t on_one = 0;
    for (const std::size_t i : fold.learned) {
      if (!hidden.contains(examples[i].source)) continue;
      EXPECT_EQ(examples[i].nodes, 1);
      ++on_one;
    }
    EXPECT_GT(on_one, 0U);
    predicted += fold.predicted.size();
  }
  EXPECT_EQ(predicted, (examples.size() + 2) / 3);
}

TEST(Split, OfFamiliesHoldsOutAllRelatives) {
  auto examples = made::examples();
  const std::vector<std::string> names = {"resnet50", "seresnet18", "vgg16", "alexnet"};
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].point.labels[Label::model] = names[i % names.size()];
  }
  for (const Fold& fold : make_folds(examples, SplitKind::unseen_family, 3, 1)) {
    std::set<std::string> learned;
    for (const std::size_t i : fold.learned) {
      learned.insert(examples[i].point.labels[Label::model]);
    }
    for (const std::size_t i : fold.predicted) {
      const std::string& model = examples[i].point.labels[Label::model];
      EXPECT_FALSE(learned.contains(model));
      if (model == "resnet50") {
        EXPECT_FALSE(learned.contains("seresnet18"));
      }
    }
  }
}

TEST(Split, OfNodeCountsLearnsFromFewerNodes) {
  auto examples = made::examples();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].nodes = static_cast<double>(std::size_t{1} << i % 5);
  }
  for (const Fold& fold : make_folds(examples, SplitKind::unseen_node_count, 5, 1)) {
    double most = 0;
    for (const std::size_t i : fold.learned) most = std::max(most, examples[i].nodes);
    ASSERT_FALSE(fold.predicted.empty());
    for (const std::size_t i : fold.predicted) EXPECT_GT(examples[i].nodes, most);
  }
}

TEST(Split, OfJobsKnowsTheirModelAndGpu) {
  const auto examples = made::examples();
  for (const Fold& fold : make_folds(examples, SplitKind::unseen_job, 4, 1)) {
    std::set<std::string> models;
    for (const std::size_t i : fold.learned) models.insert(examples[i].point.labels[Label::model]);
    for (const std::size_t i : fold.predicted) {
      EXPECT_TRUE(models.contains(examples[i].point.labels[Label::model]));
    }
  }
}

TEST(Split, IsDeterministicAndDependsOnTheSeed) {
  const auto examples = made::examples();
  const auto first = make_folds(examples, SplitKind::unseen_model, 4, 1);
  EXPECT_EQ(first[0].predicted, make_folds(examples, SplitKind::unseen_model, 4, 1)[0].predicted);
  EXPECT_NE(first[0].predicted, make_folds(examples, SplitKind::unseen_model, 4, 2)[0].predicted);
}

}  // namespace
}  // namespace tacho
