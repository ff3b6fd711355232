#include "core/record/rank_figures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

// Two or more ranks that differ only in their waits in each step.
RunRecord record_of(const std::vector<std::vector<double>>& exposed) {
  RunRecord record;
  const std::size_t count = exposed.at(0).size();
  record.steps.seconds.assign(count, 1);
  record.steps.input_seconds.assign(count, 0);
  record.steps.loss.assign(count, 0);
  record.ranks = RanksReady{"shm", {}, 0.5};
  for (std::size_t i = 0; i < exposed.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(i);
    record.ranks->ranks.push_back({rank, 0, "host" + std::to_string(i), 40 + rank});
    record.rank_steps.push_back(
        {rank, std::vector<double>(count, 1.0), std::vector<double>(count, 0.125),
         std::vector<double>(count, 0.5), std::vector<double>(count, 0.25), exposed[i],
         std::vector<std::int64_t>(count, 1000), std::vector<std::int64_t>(count, 2000)});
  }
  return record;
}

TEST(CommFigures, AreThoseOfRankZeroInTheSteadyState) {
  RunRecord record = record_of({{9, 0.0625, 0.1875}, {9, 0.0625, 0.125}});
  record.steps.warmup = {0};
  const auto comm = comm_figures_of(record);
  ASSERT_TRUE(comm.has_value());
  EXPECT_EQ(comm->seconds, 0.25);
  EXPECT_EQ(comm->hidden_share, 0.5);
  EXPECT_EQ(comm->wire_bytes, 1000);
  EXPECT_EQ(comm->payload_bytes, 2000);
  EXPECT_EQ(comm->bytes_per_second, 4000);
  EXPECT_EQ(comm->slowest_wait_seconds, 0.03125);  // the median of 0 and 0.0625
}

TEST(CommFigures, StepsThatARankDidNotReportAreLeftOut) {
  RunRecord record = record_of({{0.125, 0}, {0.125, 0}});
  record.rank_steps[1].comm_seconds[1] = std::nan("");
  EXPECT_EQ(comm_figures_of(record)->hidden_share, 0.5);
  record.rank_steps[1].comm_seconds[0] = std::nan("");
  EXPECT_EQ(comm_figures_of(record), std::nullopt);
  EXPECT_TRUE(rank_figures_of(record).empty());
  EXPECT_FALSE(straggler_of(record).has_value());
}

TEST(CommFigures, InvalidWarmUpStepsAreIgnored) {
  RunRecord record = record_of({{0.125}, {0.125}});
  record.steps.warmup = {-7, 3, 0, 0};
  EXPECT_TRUE(comm_figures_of(record).has_value());
}

TEST(CommFigures, OneProcessHasNone) {
  EXPECT_EQ(comm_figures_of(record_of({{0.0, 0.0}})), std::nullopt);
  EXPECT_EQ(comm_figures_of(RunRecord{}), std::nullopt);
}

TEST(RankFigures, AreTheMediansOfEachRank) {
  const auto figures = rank_figures_of(record_of({{0.25, 0.25, 0.25}, {0, 0.125, 0.5}}));
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[1].rank, 1);
  EXPECT_EQ(figures[1].step_seconds, 1);
  EXPECT_EQ(figures[1].input_seconds, 0.125);
  EXPECT_EQ(figures[1].backward_seconds, 0.5);
  EXPECT_EQ(figures[1].comm_seconds, 0.25);
  EXPECT_EQ(figures[1].exposed_seconds, 0.125);
  EXPECT_EQ(figures[1].wire_bytes, 1000);
}

TEST(Straggler, IsTheRankThatWaitsLeast) {
  const auto slow = straggler_of(record_of({{0.25, 0.25, 0.25, 0.0},  //
                                            {0.25, 0.5, 0.25, 0.25},
                                            {0.0, 0.125, 0.0, 0.25}}));
  ASSERT_TRUE(slow.has_value());
  EXPECT_EQ(slow->rank, 2);
  EXPECT_EQ(slow->host, "host2");
  EXPECT_EQ(slow->seconds, 0.25);
  EXPECT_EQ(slow->share_of_steps, 0.75);
}

TEST(Straggler, RanksThatTakeTurnsHaveNone) {
  EXPECT_EQ(straggler_of(record_of({{0.25, 0.0, 0.25, 0.0}, {0.0, 0.25, 0.0, 0.25}})),
            std::nullopt);
}

TEST(Straggler, AShortWaitIsIgnored) {
  EXPECT_EQ(straggler_of(record_of({{0.005, 0.005}, {0.0, 0.0}})), std::nullopt);
}

}  // namespace
}  // namespace tacho
