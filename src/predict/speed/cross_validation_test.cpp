#include "predict/speed/cross_validation.h"

#include <gtest/gtest.h>

#include "predict/speed/neighbours.h"

namespace tacho {
namespace {

TEST(FamilyShare, IsThatOfTheSmallestErrorOnOneNode) {
  std::vector<CrossValidated> jobs;
  for (const double mean : {-0.4, -0.2, 0.1, 0.3}) {
    // The measured error of the cost model is half of the posterior's mean.
    const double predicted = prediction_error({.mean = mean, .deviation = 0.2});
    CrossValidated one{.deviation = 0.2, .error = mean / 2 - predicted, .mean = mean};
    jobs.push_back(one);  // of a known model
    one.novelty.model = ModelNovelty::family;
    jobs.push_back(one);
  }
  const double before = jobs[0].error;
  EXPECT_DOUBLE_EQ(learn_family_share(jobs), 0.5);
  EXPECT_DOUBLE_EQ(jobs[0].error, before);
  EXPECT_NEAR(jobs[1].error, 0, 1e-12);
}

TEST(FamilyShare, IsOneWithoutNewFamilies) {
  std::vector<CrossValidated> none;
  EXPECT_EQ(learn_family_share(none), 1);
}

}  // namespace
}  // namespace tacho
