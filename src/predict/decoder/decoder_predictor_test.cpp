#include "predict/decoder/decoder_predictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "predict/decoder/decoder_evaluation.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class DecoderPredictorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    gpus_ = *GpuCatalog::parse(shipped_gpus_csv());
    predictor_ = *DecoderPredictor::open(gpus_);
  }
  static const GpuSpec& gpu(std::string_view name) { return **gpus_.find(name); }
  static DecoderJob job(std::string_view model) {
    return {.shape = *DecoderCatalog::shipped()->find(model),
            .sequence = 2048,
            .micro_batch = 6,
            .num_gpus = 8,
            .network_gbps = 3200};
  }

  static inline GpuCatalog gpus_;
  static inline DecoderPredictor predictor_;
};

TEST_F(DecoderPredictorTest, IsNearAPublishedSpeed) {
  const auto prediction = *predictor_.predict(job("mpt-7b"), gpu("H100"));
  EXPECT_NEAR(prediction.tokens_per_s_per_gpu.value, 10643, 1000);
  EXPECT_NEAR(prediction.mfu.value, 0.4644, 0.05);
  EXPECT_LT(prediction.tokens_per_s_per_gpu.low, 10643);
  EXPECT_GT(prediction.tokens_per_s_per_gpu.high, 10643);
  EXPECT_THAT(prediction.novelties, IsEmpty());
}

// Published MFU is the check: the same operations per token, the same peak.
TEST_F(DecoderPredictorTest, DefinesMfuAsPublished) {
  const double mfu = 10643 * model_flops_per_token(job("mpt-7b")) /
                     peak_flops(gpu("H100"), DecoderPrecision::bf16);
  EXPECT_NEAR(mfu, 0.4644, 0.0004);
}

TEST_F(DecoderPredictorTest, WidensTheIntervalOfWhatNobodyMeasured) {
  DecoderJob asked = job("mpt-13b");
  const auto ratio = [&](const GpuSpec& on) {
    const Estimate speed = predictor_.predict(asked, on)->tokens_per_s_per_gpu;
    return speed.value / speed.low;
  };
  const double known = ratio(gpu("A100-80GB"));
  EXPECT_GT(ratio(gpu("A100-40GB")), known);
  EXPECT_GT(ratio(gpu("L40S")), ratio(gpu("A100-40GB")));
  EXPECT_THAT(predictor_.predict(asked, gpu("L40S"))->novelties.front(), HasSubstr("L40S"));
  asked.sequence = 131072;
  EXPECT_GT(ratio(gpu("A100-80GB")), known);
  EXPECT_GT(predictor_.intervals().shape, predictor_.intervals().size);
  asked = job("llama3-8b");
  EXPECT_THAT(predictor_.predict(asked, gpu("H100"))->novelties.front(), HasSubstr("shared keys"));
  asked = job("mpt-13b");
  asked.num_gpus = 1024;
  asked.num_nodes = 128;
  EXPECT_GT(ratio(gpu("A100-80GB")), known);
}

TEST_F(DecoderPredictorTest, RefusesWhatTheGpuCannotDo) {
  DecoderJob asked = job("mpt-7b");
  EXPECT_EQ(predictor_.predict(asked, gpu("V100")).error().code, ErrorCode::usage);
}

DecoderJob random_job(std::mt19937_64& random) {
  const auto any = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  DecoderJob job;
  job.shape.heads = std::floor(any(1, 128));
  job.shape.kv_heads = job.shape.heads;
  job.shape.width = job.shape.heads * std::floor(any(16, 256));
  job.shape.layers = std::floor(any(1, 200));
  job.shape.feed_forward = std::floor(any(64, 100000));
  job.shape.vocabulary = std::floor(any(100, 300000));
  job.shape.gated = random() % 2 == 0;
  job.sequence = std::floor(any(1, 1e6));
  job.micro_batch = std::floor(any(1, 256));
  job.accumulate = std::floor(any(1, 64));
  job.num_nodes = std::floor(any(1, 256));
  job.num_gpus = job.num_nodes * std::floor(any(1, 9));
  job.network_gbps = any(1, 3200);
  job.sharding = kShardings.table[random() % 3].first;
  job.recompute = random() % 2 == 0;
  return job;
}

// No interval reaches beyond what the data sheet allows, and MFU is below 1.
TEST_F(DecoderPredictorTest, NothingIsFasterThanTheDataSheetAllows) {
  std::mt19937_64 random(1);
  int predicted = 0;
  for (int i = 0; i < 10000; ++i) {
    DecoderJob asked = random_job(random);
    const GpuSpec& on = gpus_.all()[random() % gpus_.all().size()];
    asked.precision = kDecoderPrecisions.table[random() % 3].first;
    const auto prediction = predictor_.predict(asked, on);
    if (!prediction.ok()) continue;
    ++predicted;
    const DecoderWork work = work_of(asked, on);
    double flops = 0;
    double bytes = 0;
    for (const DecoderOperation& operation : work.operations) {
      flops += operation.flops;
      bytes += operation.memory_bytes;
    }
    const double fastest = prediction->step_seconds.low / asked.accumulate * (1 + 1e-9);
    const double peak = peak_flops(on, asked.precision);
    ASSERT_GE(fastest, flops / peak) << i;
    ASSERT_GE(fastest, bytes / (on.memory_gb_per_s * 1e9)) << i;
    ASSERT_LE(prediction->mfu.high, 1) << i;
    ASSERT_LE(prediction->mfu.value, 1) << i;
    ASSERT_GE(prediction->tokens_per_s_per_gpu.high, prediction->tokens_per_s_per_gpu.value) << i;
  }
  EXPECT_GT(predicted, 4000);
}

TEST_F(DecoderPredictorTest, MoreWorkNeverTakesLessTime) {
  std::mt19937_64 random(2);
  const GpuSpec& on = gpu("H100");
  const auto seconds = [&](const DecoderJob& asked) {
    return predictor_.predict(asked, on)->step_seconds.value;
  };
  for (int i = 0; i < 1000; ++i) {
    const DecoderJob asked = random_job(random);
    const double before = seconds(asked) * (1 - 1e-9);
    DecoderJob more = asked;
    ++more.micro_batch;
    EXPECT_GE(seconds(more), before);
    more = asked;
    ++more.shape.layers;
    EXPECT_GE(seconds(more), before);
    more = asked;
    more.recompute = true;
    EXPECT_GE(seconds(more), before);
    more = asked;
    more.network_gbps /= 2;
    EXPECT_GE(seconds(more), before);
  }
}

TEST_F(DecoderPredictorTest, AGpuThatIsBetterInEverythingIsNotSlower) {
  for (const GpuSpec& faster : gpus_.all()) {
    for (const GpuSpec& slower : gpus_.all()) {
      if (!is_at_least(faster, slower)) continue;
      DecoderJob asked = job("mpt-1b");
      asked.precision = DecoderPrecision::fp16;
      const auto a = predictor_.predict(asked, faster);
      const auto b = predictor_.predict(asked, slower);
      ASSERT_TRUE(a.ok() && b.ok());
      EXPECT_GE(a->tokens_per_s_per_gpu.value, b->tokens_per_s_per_gpu.value * (1 - 1e-9))
          << faster.name << " and " << slower.name;
    }
  }
}

// The goal for hidden sizes is 12 %, and a coverage of 87 to 93 %.
TEST_F(DecoderPredictorTest, PredictsHiddenSizes) {
  const auto scores = evaluate_decoders(predictor_);
  const auto size = std::ranges::find(scores, "size", &DecoderScore::held_out);
  ASSERT_NE(size, scores.end());
  EXPECT_EQ(size->folds, 7U);
  EXPECT_EQ(size->jobs, 104U);
  EXPECT_LT(size->median_error, 0.05);
  EXPECT_GE(*size->coverage, 0.87);
  EXPECT_LE(*size->coverage, 0.93);
}

}  // namespace
}  // namespace tacho
