#include "predict/neighbours.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/made_jobs.h"

namespace tacho {
namespace {

class NeighboursOfMadeJobs : public testing::Test {
 protected:
  Neighbours learn(const std::vector<Lesson>& lessons) {
    std::vector<CodedPoint> points;
    std::vector<double> errors;
    for (const Lesson& lesson : lessons) {
      points.push_back(codebook_.add(lesson.point));
      errors.push_back(lesson.error);
    }
    return *Neighbours::learn(std::move(points), errors, 2);
  }
  Codebook codebook_;
};

TEST_F(NeighboursOfMadeJobs, SayWhatWasMeasured) {
  const auto lessons = made::lessons();
  const Neighbours neighbours = learn(lessons);
  for (std::size_t i = 0; i < lessons.size(); i += 17) {
    const Belief belief = neighbours.believe(codebook_.look_up(lessons[i].point));
    EXPECT_NEAR(belief.mean, lessons[i].error, 0.06);
    EXPECT_LT(belief.deviation, 0.15);
  }
}

TEST_F(NeighboursOfMadeJobs, AreLessSureOfWhatTheyKnowLessOf) {
  const auto lessons = made::lessons();
  const Neighbours neighbours = learn(lessons);
  JobPoint point = lessons[40].point;
  const double known = neighbours.believe(codebook_.look_up(point)).deviation;
  point.labels[Label::gpu] = "another";
  const double gpu = neighbours.believe(codebook_.look_up(point)).deviation;
  point.labels[Label::model] = "another";
  const double both = neighbours.believe(codebook_.look_up(point)).deviation;
  EXPECT_LT(known, gpu);
  EXPECT_LT(gpu, both);
}

TEST_F(NeighboursOfMadeJobs, HardlyListenToOneThatContradictsAll) {
  auto lessons = made::lessons();
  lessons[40].error += 3;
  const Neighbours neighbours = learn(lessons);
  const Belief belief = neighbours.believe(codebook_.look_up(lessons[41].point));
  EXPECT_NEAR(belief.mean, lessons[41].error, 0.15);
}

TEST(Likeness, IsGreatestOfAJobWithItself) {
  const auto lessons = made::lessons();
  Codebook codebook;
  const Likeness likeness;
  const CodedPoint first = codebook.add(lessons[0].point);
  EXPECT_NEAR(likeness(first, first), likeness.whole(first), 1e-4);
  for (std::size_t i = 1; i < lessons.size(); i += 11) {
    const CodedPoint other = codebook.add(lessons[i].point);
    EXPECT_LT(likeness(first, other), likeness(first, first));
    EXPECT_FLOAT_EQ(static_cast<float>(likeness(first, other)),
                    static_cast<float>(likeness(other, first)));
  }
}

TEST(Likeness, IsTheSameForOneAndForManyAtOnce) {
  const auto lessons = made::lessons();
  Codebook codebook;
  const Likeness likeness;
  std::vector<CodedPoint> points;
  for (std::size_t i = 0; i < 23; ++i) points.push_back(codebook.add(lessons[i * 7].point));
  const CodedColumns columns(points);
  std::vector<float> at_once(points.size() + CodedColumns::kAtATime);
  likeness.compare(points[3], columns, points.size(), at_once.data());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_FLOAT_EQ(at_once[i], static_cast<float>(likeness(points[3], points[i])));
  }
}

TEST(Likeness, FadesWithDistanceAndNeverBelowNothing) {
  const auto lessons = made::lessons();
  Codebook codebook;
  const Likeness likeness;
  const CodedPoint here = codebook.add(lessons[0].point);
  double before = likeness(here, here);
  for (const float away : {0.5F, 1.0F, 3.0F, 10.0F, 100.0F}) {
    CodedPoint there = here;
    for (float& measure : there.measures) measure += away;
    EXPECT_LT(likeness(here, there), before);
    before = likeness(here, there);
    EXPECT_GT(before, 0);
  }
}

TEST(Neighbours, ForetellLongerStepsTheLessTheyKnow) {
  EXPECT_DOUBLE_EQ(foretold_error({.mean = 0.1, .deviation = 0.2}), 0.12);
  EXPECT_DOUBLE_EQ(foretold_error({.mean = 0.1, .deviation = 3}), 0.225);
}

}  // namespace
}  // namespace tacho
