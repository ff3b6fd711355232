#include "predict/speed/neighbours.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

class NeighboursOfMadeJobs : public testing::Test {
 protected:
  Neighbours learn(const std::vector<TrainingExample>& examples) {
    std::vector<CodedPoint> points;
    std::vector<double> errors;
    for (const TrainingExample& example : examples) {
      points.push_back(codebook_.add(example.point));
      errors.push_back(example.error);
    }
    return *Neighbours::learn(std::move(points), errors, 2);
  }
  Codebook codebook_;
};

TEST_F(NeighboursOfMadeJobs, ReproduceMeasurements) {
  const auto examples = made::examples();
  const Neighbours neighbours = learn(examples);
  for (std::size_t i = 0; i < examples.size(); i += 17) {
    const Posterior posterior = neighbours.predict(codebook_.look_up(examples[i].point));
    EXPECT_NEAR(posterior.mean, examples[i].error, 0.06);
    EXPECT_LT(posterior.deviation, 0.15);
  }
}

TEST_F(NeighboursOfMadeJobs, AreLessCertainWithFewerNeighbours) {
  const auto examples = made::examples();
  const Neighbours neighbours = learn(examples);
  JobPoint point = examples[40].point;
  const double known = neighbours.predict(codebook_.look_up(point)).deviation;
  point.labels[Label::gpu] = "another";
  const double gpu = neighbours.predict(codebook_.look_up(point)).deviation;
  point.labels[Label::model] = point.labels[Label::model_line] = "another";
  point.labels[Label::model_kin] = "another";
  const double both = neighbours.predict(codebook_.look_up(point)).deviation;
  EXPECT_LT(known, gpu);
  EXPECT_LT(gpu, both);
}

TEST_F(NeighboursOfMadeJobs, GiveLittleWeightToAnOutlier) {
  auto examples = made::examples();
  examples[40].error += 3;
  const Neighbours neighbours = learn(examples);
  const Posterior posterior = neighbours.predict(codebook_.look_up(examples[41].point));
  EXPECT_NEAR(posterior.mean, examples[41].error, 0.15);
}

TEST(CovarianceKernel, IsLargestForAJobWithItself) {
  const auto examples = made::examples();
  Codebook codebook;
  const CovarianceKernel covariance;
  const CodedPoint first = codebook.add(examples[0].point);
  EXPECT_NEAR(covariance(first, first), covariance.whole(first), 1e-4);
  for (std::size_t i = 1; i < examples.size(); i += 11) {
    const CodedPoint other = codebook.add(examples[i].point);
    EXPECT_LT(covariance(first, other), covariance(first, first));
    EXPECT_FLOAT_EQ(static_cast<float>(covariance(first, other)),
                    static_cast<float>(covariance(other, first)));
  }
}

TEST(CovarianceKernel, IsTheSameForOneAndForMany) {
  const auto examples = made::examples();
  Codebook codebook;
  const CovarianceKernel covariance;
  std::vector<CodedPoint> points;
  for (std::size_t i = 0; i < 23; ++i) points.push_back(codebook.add(examples[i * 7].point));
  const CodedColumns columns(points);
  std::vector<float> at_once(points.size() + CodedColumns::kAtATime);
  covariance.compare(points[3], columns, points.size(), at_once.data());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_FLOAT_EQ(at_once[i], static_cast<float>(covariance(points[3], points[i])));
  }
}

TEST(CovarianceKernel, DecreasesWithDistanceAndStaysPositive) {
  const auto examples = made::examples();
  Codebook codebook;
  const CovarianceKernel covariance;
  const CodedPoint here = codebook.add(examples[0].point);
  double before = covariance(here, here);
  for (const float away : {0.5F, 1.0F, 3.0F}) {
    CodedPoint there = here;
    for (float& measure : there.measures) measure += away;
    EXPECT_LT(covariance(here, there), before);
    before = covariance(here, there);
    EXPECT_GT(before, 0);
  }
}

TEST(Neighbours, PredictLongerStepsIfUncertain) {
  EXPECT_DOUBLE_EQ(prediction_error({.mean = 0.1, .deviation = 0.2}), 0.12);
  EXPECT_DOUBLE_EQ(prediction_error({.mean = 0.1, .deviation = 3}), 0.225);
}

}  // namespace
}  // namespace tacho
