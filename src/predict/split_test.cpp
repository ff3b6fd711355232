#include "predict/split.h"

#include <gtest/gtest.h>

#include <set>

#include "predict/made_jobs.h"

namespace tacho {
namespace {

TEST(Split, NeverLearnsFromAGroupThatIsPredicted) {
  const auto lessons = made::lessons();
  for (const auto& [kind, which] :
       {std::pair{SplitKind::unseen_gpu, Label::gpu}, {SplitKind::unseen_model, Label::model}}) {
    std::size_t predicted = 0;
    for (const Fold& fold : make_folds(lessons, kind, 4, 1)) {
      std::set<std::string> learned;
      for (const std::size_t i : fold.learned) learned.insert(lessons[i].point.labels[which]);
      for (const std::size_t i : fold.predicted) {
        EXPECT_FALSE(learned.contains(lessons[i].point.labels[which]));
      }
      predicted += fold.predicted.size();
    }
    EXPECT_EQ(predicted, lessons.size());
  }
}

TEST(Split, OfBothKnowsNeitherModelNorGpu) {
  const auto lessons = made::lessons();
  for (const Fold& fold : make_folds(lessons, SplitKind::unseen_both, 4, 1)) {
    std::set<std::string> gpus;
    std::set<std::string> models;
    for (const std::size_t i : fold.learned) {
      gpus.insert(lessons[i].point.labels[Label::gpu]);
      models.insert(lessons[i].point.labels[Label::model]);
    }
    for (const std::size_t i : fold.predicted) {
      EXPECT_FALSE(gpus.contains(lessons[i].point.labels[Label::gpu]));
      EXPECT_FALSE(models.contains(lessons[i].point.labels[Label::model]));
    }
  }
}

TEST(Split, OfNodesPredictsJobsOnSeveralAlone) {
  auto lessons = made::lessons();
  for (std::size_t i = 0; i < lessons.size(); i += 3) lessons[i].nodes = 4;
  for (const Fold& fold : make_folds(lessons, SplitKind::unseen_nodes, 3, 1)) {
    EXPECT_FALSE(fold.predicted.empty());
    for (const std::size_t i : fold.predicted) EXPECT_EQ(lessons[i].nodes, 4);
  }
}

TEST(Split, OfGrowthLearnsWhatASourceMeasuredOnOneNode) {
  auto lessons = made::lessons();
  for (std::size_t i = 0; i < lessons.size(); i += 3) lessons[i].nodes = 4;
  std::size_t predicted = 0;
  for (const Fold& fold : make_folds(lessons, SplitKind::unseen_growth, 2, 1)) {
    std::set<std::string> hidden;
    for (const std::size_t i : fold.predicted) hidden.insert(lessons[i].source);
    std::size_t on_one = 0;
    for (const std::size_t i : fold.learned) {
      if (!hidden.contains(lessons[i].source)) continue;
      EXPECT_EQ(lessons[i].nodes, 1);
      ++on_one;
    }
    EXPECT_GT(on_one, 0U);
    predicted += fold.predicted.size();
  }
  EXPECT_EQ(predicted, (lessons.size() + 2) / 3);
}

TEST(Split, OfJobsKnowsTheirModelAndGpu) {
  const auto lessons = made::lessons();
  for (const Fold& fold : make_folds(lessons, SplitKind::unseen_job, 4, 1)) {
    std::set<std::string> models;
    for (const std::size_t i : fold.learned) models.insert(lessons[i].point.labels[Label::model]);
    for (const std::size_t i : fold.predicted) {
      EXPECT_TRUE(models.contains(lessons[i].point.labels[Label::model]));
    }
  }
}

TEST(Split, IsDealtTheSameEveryTimeAndOtherwiseByAnotherSeed) {
  const auto lessons = made::lessons();
  const auto first = make_folds(lessons, SplitKind::unseen_model, 4, 1);
  EXPECT_EQ(first[0].predicted, make_folds(lessons, SplitKind::unseen_model, 4, 1)[0].predicted);
  EXPECT_NE(first[0].predicted, make_folds(lessons, SplitKind::unseen_model, 4, 2)[0].predicted);
}

}  // namespace
}  // namespace tacho
