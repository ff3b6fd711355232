#include "predict/speed/predictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "predict/speed/made_jobs.h"

namespace tacho {
namespace {

class MadePredictor : public testing::Test {
 protected:
  MadePredictor()
      : predictor_(made::gpus(), made::costs(),
                   *SpeedModel::learn(made::examples(), made::kEffort)) {}
  Prediction of(const TrainingJob& job) {
    return *predictor_.predict(std::span(&job, 1), 1)->front();
  }
  Predictor predictor_;
};

TEST_F(MadePredictor, IsCloseToMeasurementsWithinItsInterval) {
  std::size_t within = 0;
  std::size_t count = 0;
  for (const MeasuredJob& measured : made::jobs()) {
    const Prediction p = of(measured.job);
    EXPECT_LT(p.samples_per_s.low, p.samples_per_s.value);
    EXPECT_GT(p.samples_per_s.high, p.samples_per_s.value);
    EXPECT_NEAR(p.samples_per_s.value / measured.samples_per_s, 1, 0.2);
    within += p.samples_per_s.low <= measured.samples_per_s &&
                      measured.samples_per_s <= p.samples_per_s.high
                  ? 1U
                  : 0U;
    ++count;
  }
  EXPECT_GT(within, count * 85 / 100);
}

TEST_F(MadePredictor, NeverMakesAFasterGpuOfTheSameFamilySlower) {
  predictor_.add_gpu(made::gpu("between", 2.75));
  predictor_.add_gpu(made::gpu("beyond", 9));
  for (const double batch : {1.0, 30.0, 1000.0}) {
    double before = 0;
    for (const char* gpu : {"G0", "G1", "G2", "G3", "between", "G4", "G5", "G6", "G7", "beyond"}) {
      TrainingJob job = made::job(3, 0, batch, "PyTorch (made)");
      job.gpu = gpu;
      const double speed = of(job).samples_per_s.value;
      EXPECT_GE(speed, before) << gpu;
      before = speed;
    }
  }
}

TEST_F(MadePredictor, AMeasurementAppliesToFasterGpusWithoutOne) {
  const TrainingJob measured = made::job(3, 2, 64, "PyTorch (made)");
  const MeasuredJob own{measured, 3 * of(measured).samples_per_s.value, ""};
  ASSERT_TRUE(predictor_.calibrate(std::span(&own, 1), 1).ok());
  double before = 0;
  for (const int gpu : {2, 3, 4, 7}) {
    const double speed = of(made::job(3, gpu, 64, "PyTorch (made)")).samples_per_s.value;
    EXPECT_GE(speed, before) << gpu;
    before = speed;
  }
  EXPECT_NEAR(of(measured).samples_per_s.value / own.samples_per_s, 1, 0.15);
}

TEST_F(MadePredictor, AMeasurementCountsMoreThanASlowerGpusDataSheet) {
  const TrainingJob measured = made::job(3, 5, 64, "PyTorch (made)");
  const MeasuredJob own{measured, of(measured).samples_per_s.value / 4, ""};
  ASSERT_TRUE(predictor_.calibrate(std::span(&own, 1), 1).ok());
  EXPECT_NEAR(of(measured).samples_per_s.value / own.samples_per_s, 1, 0.2);
}

TEST_F(MadePredictor, ASecondCalibrationReplacesTheFirst) {
  const TrainingJob measured = made::job(3, 5, 64, "PyTorch (made)");
  const double before = of(measured).samples_per_s.value;
  for (const double factor : {0.5, 1.0}) {
    const MeasuredJob own{measured, factor * before, ""};
    ASSERT_TRUE(predictor_.calibrate(std::span(&own, 1), 1).ok());
  }
  EXPECT_NEAR(of(measured).samples_per_s.value, before, 1e-6 * before);
}

TEST_F(MadePredictor, MemoryIncreasesWithTheBatchAndTimeIsPositive) {
  double before = 0;
  for (const double batch : {1.0, 2.0, 7.0, 64.0, 1000.0, 1e6}) {
    const Prediction p = of(made::job(3, 2, batch, "PyTorch (made)"));
    EXPECT_GT(p.memory_gb, before);
    EXPECT_GT(p.step_seconds, 0);
    EXPECT_GT(p.samples_per_s.low, 0);
    before = p.memory_gb;
  }
}

TEST_F(MadePredictor, FindsTheCostsOfAModelByName) {
  TrainingJob by_name = made::job(0, 2, 64, "PyTorch (made)");
  by_name.model = "listed";
  by_name.input_shape.clear();
  by_name.family.clear();
  by_name.gmacs.reset();
  by_name.macts_m.reset();
  by_name.params_m.reset();
  TrainingJob by_costs = by_name;
  by_costs.gmacs = 2;
  by_costs.macts_m = 5;
  by_costs.params_m = 10;
  by_costs.input_shape = "3x224x224";
  by_costs.family = "cnn";
  EXPECT_DOUBLE_EQ(of(by_name).samples_per_s.value, of(by_costs).samples_per_s.value);
}

TEST_F(MadePredictor, InventsNoNumberForAnUnknownModel) {
  TrainingJob job = made::job(0, 0, 64, "PyTorch (made)");
  job.model = "lissted";
  job.gmacs.reset();
  const Prediction p = of(job);
  EXPECT_FALSE(p.in_domain);
  EXPECT_FALSE(p.known());
  EXPECT_THAT(p.reason, testing::HasSubstr("did you mean 'listed'"));
  EXPECT_THAT(p.reason, testing::HasSubstr("gmacs"));
  EXPECT_TRUE(of(made::job(0, 0, 64, "PyTorch (made)")).in_domain);
}

TEST_F(MadePredictor, AbstainsForAnUnmeasuredGpuIfTheModelsCostIsRough) {
  predictor_.add_gpu(made::gpu("new", 2.75));
  TrainingJob job = made::job(0, 2, 64, "PyTorch (made)");
  job.gmacs.reset();
  const auto unmeasured_gpu = testing::HasSubstr("too uncertain for a GPU without measurements");
  EXPECT_THAT(of(job).reason, testing::Not(unmeasured_gpu));
  job.gpu = "new";
  EXPECT_THAT(of(job).reason, unmeasured_gpu);
  TrainingJob measured = made::job(3, 2, 64, "PyTorch (made)");
  measured.gpu = "new";
  const MeasuredJob own{measured, of(measured).samples_per_s.value, ""};
  ASSERT_TRUE(predictor_.calibrate(std::span(&own, 1), 1).ok());
  EXPECT_THAT(of(job).reason, testing::Not(unmeasured_gpu));
}

TEST_F(MadePredictor, AbstainsForSeveralNodesIfTheModelsCostIsRough) {
  TrainingJob job = made::job(0, 2, 64, "PyTorch (made)");
  const auto not_known = testing::HasSubstr("too uncertain for several nodes");
  job.num_gpus = job.num_nodes = 4;
  EXPECT_THAT(of(job).reason, testing::Not(not_known));
  job.gmacs.reset();
  EXPECT_THAT(of(job).reason, not_known);
}

TEST(WidestInterval, IsNarrowerForRoughCosts) {
  using Blank = SpeedModel::Blank;
  EXPECT_EQ(widest_interval(Blank::none), kWidestInterval);
  EXPECT_LT(widest_interval(Blank::cost), kWidestInterval);
  EXPECT_GT(widest_interval(Blank::cost), 1);
  EXPECT_GT(widest_interval(Blank::far), kWidestInterval);
  for (const Blank blank : {Blank::model, Blank::hosts, Blank::layout}) {
    EXPECT_EQ(widest_interval(blank), 1);
  }
}

TEST_F(MadePredictor, IntervalsAreWiderForAnUnmeasuredFamily) {
  TrainingJob job = made::job(3, 2, 64, "PyTorch (made)");
  const Prediction known = of(job);
  job.model = "other";
  const Prediction unknown = of(job);
  EXPECT_TRUE(unknown.in_domain) << unknown.reason;
  EXPECT_GT(unknown.samples_per_s.high / unknown.samples_per_s.low,
            known.samples_per_s.high / known.samples_per_s.low);
}

TEST_F(MadePredictor, AbstainsForALayoutWithoutMeasurements) {
  TrainingJob job = made::job(0, 0, 64, "PyTorch (made)");
  job.layout = "nchw";  // the default
  EXPECT_TRUE(of(job).in_domain);
  job.layout = "nhwc";
  const Prediction p = of(job);
  EXPECT_FALSE(p.in_domain);
  EXPECT_THAT(p.reason, testing::HasSubstr("layout 'nhwc'"));
}

TEST_F(MadePredictor, PredictsNothingForOtherAccelerators) {
  TrainingJob job = made::job(0, 0, 64, "");
  job.gpu = "TPUv2";
  EXPECT_FALSE(predictor_.predict(std::span(&job, 1), 1)->front().has_value());
}

TEST_F(MadePredictor, OneMeasurementImprovesPredictionsForThatGpu) {
  const TrainingJob measured = made::job(2, 3, 64, "PyTorch (made)");
  const TrainingJob other = made::job(5, 3, 256, "TensorFlow (made)");
  const Prediction before = of(other);
  // This machine is half as fast as predicted.
  const MeasuredJob own{measured, of(measured).samples_per_s.value / 2, ""};
  ASSERT_TRUE(predictor_.calibrate(std::span(&own, 1), 1).ok());
  const Prediction after = of(other);
  EXPECT_NEAR(after.samples_per_s.value / before.samples_per_s.value, 0.5, 0.1);
  EXPECT_LT(after.samples_per_s.high / after.samples_per_s.low,
            before.samples_per_s.high / before.samples_per_s.low);
  const TrainingJob elsewhere = made::job(5, 1, 256, "TensorFlow (made)");
  EXPECT_GT(of(elsewhere).samples_per_s.value, after.samples_per_s.value / 3);
}

}  // namespace
}  // namespace tacho
