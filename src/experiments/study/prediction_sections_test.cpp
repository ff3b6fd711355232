#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/study/sections.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

RunRecord run_of(std::int64_t nodes, const std::vector<double>& seconds,
                 const std::vector<std::vector<double>>& exposed) {
  RunRecord record;
  record.order.spec.batch = 10;
  record.order.spec.dist.nodes = nodes;
  record.steps.seconds = seconds;
  record.steps.input_seconds.assign(seconds.size(), 0.1);
  record.steps.warmup = {0};
  for (std::size_t rank = 0; rank < exposed.size(); ++rank) {
    RankSteps steps;
    steps.rank = static_cast<std::int64_t>(rank);
    steps.exposed_seconds = exposed[rank];
    record.rank_steps.push_back(std::move(steps));
  }
  return record;
}

TEST(StepParts, ExcludeWarmUpAndSeparateTheExchangeFromTheSlowestRank) {
  // The second rank arrives last in one step, the first in the other.
  const auto parts = step_parts_of(run_of(2, {9, 2, 4}, {{9, 0.5, 0.3}, {9, 0.3, 0.7}}));
  ASSERT_TRUE(parts);
  EXPECT_DOUBLE_EQ(parts->seconds, 3);
  EXPECT_DOUBLE_EQ(parts->input, 0.1);
  EXPECT_DOUBLE_EQ(parts->line, 0.3);
  EXPECT_DOUBLE_EQ(parts->slowest, 0.15);
  EXPECT_DOUBLE_EQ(parts->samples_per_s, 20.0 / 3);
  EXPECT_FALSE(step_parts_of(run_of(1, {5}, {})));
}

TEST(MissingBlocks, PartsAddUp) {
  const StepParts one{.seconds = 1, .samples_per_s = 10};
  const StepParts two{
      .seconds = 1.6, .input = 0.06, .line = 0.3, .slowest = 0.06, .samples_per_s = 12.5};
  const std::vector<ScaledVariant> variants = {{"nnodes 1", 1, {one}}, {"nnodes 2", 2, {two}}};
  const auto blocks = missing_blocks(variants, 1.12);
  ASSERT_EQ(blocks.size(), 3);
  EXPECT_THAT(
      std::get<Paragraph>(blocks[0]).text,
      StartsWith("nnodes 2: 1.25 × the samples per second of nnodes 1, 62 % of the ideal 2.00 ×."));
  std::vector<std::string> shares;
  for (const auto& row : std::get<DocumentTable>(blocks[1]).rows) shares.push_back(row[2]);
  EXPECT_THAT(shares, ElementsAre("50 %", "10 %", "10 %", "20 %", "10 %"));
  // Without the separate processes, the last two parts are one.
  const auto fewer = missing_blocks(variants, {});
  EXPECT_EQ(std::get<DocumentTable>(fewer[1]).rows.back()[2], "30 %");
}

TEST(SavingsBlocks, NameTheBestOfEachComparison) {
  Comparison comparison;
  comparison.variants = {{"none", "", ""}, {"bf16", "", ""}, {"topk", "", ""}};
  comparison.metrics = {compared(metric::kStepS)};
  for (std::int64_t block = 0; block < 4; ++block) {
    for (std::size_t variant = 0; variant < 3; ++variant) {
      const double noise = 1 + 0.001 * static_cast<double>(block);
      const double step = variant == 0 ? 1.0 : variant == 1 ? 0.8 : 0.9;
      comparison.runs.push_back(
          {.variant = variant, .block = block, .values = {{"step_s", step * noise}}});
    }
  }
  judge(comparison);
  const auto blocks = savings_blocks({{"Fewer bytes", comparison}});
  const auto& row = std::get<DocumentTable>(blocks[0]).rows.at(0);
  EXPECT_EQ(row[0], "Fewer bytes");
  EXPECT_EQ(row[1], "bf16 instead of none");
  EXPECT_THAT(row[4], StartsWith("20.0 %"));
  EXPECT_THAT(row[5], HasSubstr("faster"));
}

TEST(SavingsBlocks, HideUselesslyWideIntervals) {
  Comparison comparison;
  comparison.variants = {{"off", "", ""}, {"on", "", ""}};
  comparison.metrics = {compared(metric::kStepS)};
  for (std::int64_t block = 0; block < 2; ++block) {
    comparison.runs.push_back({.variant = 0, .block = block, .values = {{"step_s", 1.0}}});
    const double step = block == 0 ? 0.3 : 0.9;
    comparison.runs.push_back({.variant = 1, .block = block, .values = {{"step_s", step}}});
  }
  judge(comparison);
  const auto blocks = savings_blocks({{"Layout", comparison}});
  const auto& row = std::get<DocumentTable>(blocks[0]).rows.at(0);
  EXPECT_THAT(row[4], testing::MatchesRegex("[0-9.]+ %"));
  EXPECT_THAT(row[5], HasSubstr("not enough runs yet"));
}

TEST(CostBlocks, UseTheCheapestComparableMachine) {
  const std::vector<Instance> instances = {
      {.cloud = "a", .name = "small", .vcpus = 2, .memory_gib = 1, .on_demand_usd_h = 0.08},
      {.cloud = "b",
       .name = "fits",
       .vcpus = 4,
       .memory_gib = 1,
       .on_demand_usd_h = 0.36,
       .date = "2026-08-22"},
      {.cloud = "b", .name = "expensive", .vcpus = 8, .memory_gib = 1, .on_demand_usd_h = 0.4},
      {.cloud = "c",
       .name = "eight",
       .gpu = "H200-SXM-141GB",
       .gpus = 8,
       .memory_gib = 1,
       .on_demand_usd_h = 28.8}};
  PricedTraining cpu{"On the processor", {}};
  cpu.record.started.emplace().host.cores = 4;
  cpu.record.totals.wall_seconds = 100;
  PricedTraining gpu{"On a GPU", cpu.record};
  gpu.record.order.spec.device = Device::cuda;
  gpu.record.started->host.gpu = "NVIDIA H200";
  const auto blocks = cost_blocks({cpu, gpu}, instances);
  const auto& rows = std::get<DocumentTable>(blocks[0]).rows;
  EXPECT_THAT(rows[0], ElementsAre("On the processor", "1 min 40 s", "b fits", "0.360", "1.00"));
  EXPECT_THAT(rows[1],
              ElementsAre("On a GPU", "1 min 40 s", "c eight, one of 8 GPUs", "3.60", "10.0"));
  EXPECT_THAT(std::get<Paragraph>(blocks[1]).text, HasSubstr("2026-08-22"));
}

TEST(SurveyBlocks, CompareTheSlowestFormWithTheFastest) {
  bandwidth::Survey survey{.key = "k", .machine = "M", .facts = "F"};
  const auto add = [&](const char* form, double seconds) {
    survey.measurements.push_back({.operation = bandwidth::Operation::copy,
                                   .form = form,
                                   .level = "memory",
                                   .threads = 1,
                                   .set_bytes = 2000,
                                   .necessary_bytes = 1'000'000'000,
                                   .moved_bytes = 1'000'000'000,
                                   .seconds = seconds});
  };
  add("naive", 0.5);
  add("vector", 0.1);
  add("strided", 1);
  const auto blocks = survey_blocks(survey);
  const auto& row = std::get<DocumentTable>(blocks[1]).rows.at(0);
  EXPECT_EQ(row[1], "vector, 1 thread");
  EXPECT_EQ(row[2], "10.0 GB/s");
  EXPECT_EQ(row[3], "100.0 %");
  EXPECT_EQ(row[4], "strided, 1 thread");
  EXPECT_EQ(row[6], "90.0 %");
}

}  // namespace
}  // namespace tacho
