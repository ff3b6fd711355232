#include "predict/decoder/decoder_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predict/decoder/decoder_interval.h"
#include "predict/decoder/decoder_predictor.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

GpuCatalog catalog() { return *GpuCatalog::parse(shipped_gpus_csv()); }

std::vector<const DecoderExample*> pointers(const std::vector<DecoderExample>& examples) {
  std::vector<const DecoderExample*> all;
  for (const DecoderExample& example : examples) all.push_back(&example);
  return all;
}

// Speeds that were computed from known efficiencies teach these again, up to the pull of the prior.
TEST(DecoderFit, FindsTheEfficienciesThatMadeTheSpeeds) {
  std::vector<DecoderExample> jobs = *shipped_decoder_examples(catalog());
  Efficiencies truth = efficiency_prior().mean;
  truth[Efficiency::matrices] = std::log(0.6);
  truth[Efficiency::attention] = std::log(0.3);
  truth[Efficiency::bandwidth] = std::log(0.4);
  for (DecoderExample& job : jobs) {
    job.tokens_per_s = job.work.tokens / total_seconds(times(job.work, truth));
  }
  const Efficiencies learned = fit_efficiencies(pointers(jobs), efficiency_prior().mean);
  EXPECT_NEAR(learned[Efficiency::matrices], truth[Efficiency::matrices], 0.06);
  EXPECT_NEAR(learned[Efficiency::attention], truth[Efficiency::attention], 0.03);
  const DecoderClock clock(learned);
  for (const DecoderExample& job : jobs) EXPECT_NEAR(log_error(job, clock), 0, 0.02);
}

TEST(DecoderFit, OneOddJobDoesNotMoveTheOthers) {
  std::vector<DecoderExample> jobs = *shipped_decoder_examples(catalog());
  const Efficiencies before = fit_efficiencies(pointers(jobs), efficiency_prior().mean);
  const double odd = jobs[20].tokens_per_s;
  jobs[20].tokens_per_s = odd / 3;
  const DecoderClock after(fit_efficiencies(pointers(jobs), before));
  jobs[20].tokens_per_s = odd;
  const DecoderClock without(before);
  for (const DecoderExample& job : jobs) {
    EXPECT_NEAR(log_error(job, after), log_error(job, without), 0.03);
  }
}

TEST(DecoderFit, TheStartDoesNotDecideTheResult) {
  const std::vector<DecoderExample> jobs = *shipped_decoder_examples(catalog());
  Efficiencies elsewhere = efficiency_prior().mean;
  for (double& value : elsewhere) value += 0.3;
  const Efficiencies a = fit_efficiencies(pointers(jobs), efficiency_prior().mean);
  const Efficiencies b = fit_efficiencies(pointers(jobs), elsewhere);
  for (const DecoderExample& job : jobs) {
    EXPECT_NEAR(log_error(job, DecoderClock(a)), log_error(job, DecoderClock(b)), 0.005);
  }
}

TEST(DecoderInterval, ContainsNineOfTenErrorsAndAllowsForOneMore) {
  const DecoderExample job{.gpu = "A"};
  std::vector<HeldOutDecoder> errors;
  for (int i = 1; i <= 19; ++i) {
    errors.push_back({.example = &job, .fold = {}, .log_error = (i % 2 == 0 ? 0.01 : -0.01) * i});
  }
  EXPECT_DOUBLE_EQ(half_width_90(errors), 0.18);  // the 18th of 19, since 0.9 · 20 = 18
  EXPECT_EQ(half_width_90({}), 0);
}

TEST(DecoderInterval, WeighsTypesOfGpusTheSame) {
  const DecoderExample many{.gpu = "A"};
  const DecoderExample one{.gpu = "B"};
  std::vector<HeldOutDecoder> errors;
  for (int i = 0; i < 98; ++i) errors.push_back({.example = &many, .fold = {}, .log_error = 0.01});
  errors.push_back({.example = &one, .fold = {}, .log_error = 0.5});
  EXPECT_DOUBLE_EQ(half_width_90(errors), 0.01);
  EXPECT_DOUBLE_EQ(half_width_90(errors, Weigh::gpu_types), 0.5);
}

}  // namespace
}  // namespace tacho
