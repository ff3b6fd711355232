#include "predict/speed/own_predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/record/classifier_catalog.h"
#include "predict/speed/own_model_costs.h"
#include "predict/speed/shipped.h"
#include "predict/speed/software.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class OwnPredictionsTest : public testing::Test {
 protected:
  static Result<Prediction> of(TrainingJob job) {
    static const GpuCatalog gpus = *GpuCatalog::parse(shipped_gpus_csv());
    static const OwnSpeed speed =
        *OwnSpeed::make(*OwnLayers::parse(shipped_own_layers_csv(),
                                          *OwnModelCosts::parse(shipped_own_models_csv())),
                        gpus, *read_own_fit(shipped_own_speed()));
    OwnPredictions predictions(speed);
    const GpuSpec& gpu = **gpus.find(job.gpu);
    return predictions.of(with_software(std::move(job)), gpu);
  }
};

TEST_F(OwnPredictionsTest, AnswersForEveryModelOnEveryGpu) {
  const auto gpus = *GpuCatalog::parse(shipped_gpus_csv());
  for (const ModelInfo& model : classifier_catalog()) {
    for (const GpuSpec& gpu : gpus.all()) {
      const auto made = of({.model = std::string(model.name),
                            .precision = "amp",
                            .gpu = gpu.name,
                            .batch_per_gpu = 64});
      ASSERT_TRUE(made.ok()) << made.error().message;
      EXPECT_TRUE(made->in_domain);
      EXPECT_LT(made->samples_per_s.low, made->samples_per_s.value);
      EXPECT_GE(made->samples_per_s.high, made->samples_per_s.value);
    }
  }
}

TEST_F(OwnPredictionsTest, SharesOfAStepAddUp) {
  for (const double gpus : {1.0, 4.0}) {
    const auto made = of({.model = "resnet50",
                          .precision = "amp",
                          .gpu = "A100",
                          .num_gpus = gpus,
                          .batch_per_gpu = 64});
    const StepShares& s = made->shares;
    EXPECT_NEAR(s.arithmetic + s.memory + s.optimizer + s.launch + s.exchange, 1, 1e-9);
    EXPECT_EQ(s.exchange > 0, gpus > 1);
  }
}

TEST_F(OwnPredictionsTest, FormatsWithEqualPeaksTakeEquallyLong) {
  const auto speed = [](const char* precision) {
    return of({.model = "resnet50", .precision = precision, .gpu = "H200", .batch_per_gpu = 128})
        ->samples_per_s.value;
  };
  EXPECT_EQ(speed("fp16"), speed("bf16"));
  EXPECT_EQ(speed("amp"), speed("bf16"));
  EXPECT_LT(speed("tf32"), speed("bf16"));
}

TEST_F(OwnPredictionsTest, SaysWhatTachoDoesNotTrain) {
  const auto reason = [](TrainingJob job) {
    if (job.gpu.empty()) job.gpu = "H200";
    job.batch_per_gpu = 64;
    return of(std::move(job)).error().message;
  };
  EXPECT_THAT(reason({.model = "efficientnet_b0", .framework = "tacho"}), HasSubstr("pytorch"));
  EXPECT_THAT(reason({.model = "resnet50", .precision = "fp8"}), HasSubstr("bf16"));
  EXPECT_THAT(reason({.model = "resnet50", .precision = "bf16", .gpu = "V100-SXM2-16GB"}),
              HasSubstr("does not support bf16"));
  EXPECT_THAT(reason({.model = "resnet50", .layout = "nchw"}), HasSubstr("nhwc"));
  EXPECT_THAT(reason({.model = "lstm", .input_shape = "3x224x224"}), HasSubstr("seq200"));
}

TEST(SampleSize, TextsHaveTheLengthOfTheirDataset) {
  RunSpec spec;
  spec.model = "lstm";
  const auto length = [&spec](const char* data, std::optional<std::int64_t> cut = {}) {
    spec.data = data;
    spec.length = cut;
    return sample_size(spec).extent;
  };
  EXPECT_EQ(length("synthetic"), 200);
  EXPECT_EQ(length("synthetic", 64), 64);
  EXPECT_EQ(length("imdb"), 260);
  EXPECT_EQ(length("imdb", 400), 260);
  EXPECT_EQ(length("imdb", 100), 100);
  EXPECT_EQ(length("sst2"), 19);
  spec.model = "distilbert";
  EXPECT_EQ(length("imdb"), 128);  // word pieces are cut
}

}  // namespace
}  // namespace tacho
