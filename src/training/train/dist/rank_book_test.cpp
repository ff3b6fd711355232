#include "training/train/dist/rank_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacho {
namespace {

using testing::ElementsAre;

RankStep step(std::int64_t number, double loss = 1, double weight = 1) {
  return {.epoch = 2,
          .number = number,
          .seconds = 0.25,
          .input_seconds = 0.125,
          .loss = loss,
          .weight = weight,
          .backward_seconds = 0.5,
          .comm_seconds = 0.75,
          .exposed_seconds = 0.0625,
          .wire_bytes = 9007199254740993,  // not representable as a double
          .payload_bytes = 40};
}

// Collects what a book reports and logs.
struct Reported {
  std::vector<double> losses;
  std::vector<RanksDone> done;
  Report report = [this](const EventBody& body) -> Result<void> {
    if (const auto* steps = std::get_if<StepsDone>(&body)) {
      losses.insert(losses.end(), steps->loss.begin(), steps->loss.end());
    }
    if (const auto* ranks = std::get_if<RanksDone>(&body)) done.push_back(*ranks);
    return {};
  };
};

TEST(RankMessage, SurvivesTheRoundTrip) {
  const auto read = steps_from_message(to_message({step(7, 0.1), step(8, -1e-300, 0)}));
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->size(), 2U);
  const RankStep& first = read->front();
  EXPECT_EQ(first.epoch, 2);
  EXPECT_EQ(first.number, 7);
  EXPECT_EQ(first.seconds, 0.25);
  EXPECT_EQ(first.input_seconds, 0.125);
  EXPECT_EQ(first.loss, 0.1);
  EXPECT_EQ(first.weight, 1);
  EXPECT_EQ(first.backward_seconds, 0.5);
  EXPECT_EQ(first.comm_seconds, 0.75);
  EXPECT_EQ(first.exposed_seconds, 0.0625);
  EXPECT_EQ(first.wire_bytes, 9007199254740993);
  EXPECT_EQ(first.payload_bytes, 40);
  EXPECT_EQ(read->back().loss, -1e-300);
  EXPECT_EQ(read->back().weight, 0);
}

TEST(RankMessage, CarriesANaNLoss) {
  for (const double loss : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const auto read = steps_from_message(to_message({step(1, loss)}));
    ASSERT_TRUE(read.ok());
    EXPECT_FALSE(std::isfinite(read->front().loss));
  }
}

TEST(RankMessage, InAnUnknownFormatIsAnError) {
  for (const char* text : {"", "7", "[[1]]", "{\"a\":1}", "[[1,1,0,0,0,0,0,0,0,0,\"0\"]]",
                           "[[1,1e300,0,0,0,0,0,0,0,0,0]]", "[[1,null,0,0,0,0,0,0,0,0,0]]",
                           "[[1,1,0,0,0,0,0,0,0,0,0,0]]"}) {
    EXPECT_FALSE(steps_from_message(text).ok()) << text;
  }
}

TEST(RankMessage, SurvivesAnyBytes) {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same mutations every time
  const std::string good = to_message({step(1), step(2, std::nan(""))});
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (std::uint32_t change = random() % 4 + 1; change > 0; --change) {
      const std::size_t at = random() % text.size();
      if (random() % 4 == 0) {
        text.erase(at, random() % 8);
      } else {
        text.insert(at, 1, "0123456789-+.eE[]{},\"nul\xff"[random() % 25]);
      }
      if (text.empty()) text = "[";
    }
    if (const auto read = steps_from_message(text); read.ok()) {
      EXPECT_LE(read->size(), 20U);
    }
  }
}

TEST(RankBook, LogsAStepWhenAllRanksHaveReportedIt) {
  Reported reported;
  StepLog log(reported.report, 0);
  RankBook book(2);
  book.add(1, {step(1, 3), step(2, 5)});
  ASSERT_TRUE(book.log_complete(log).ok());
  ASSERT_TRUE(log.flush().ok());
  EXPECT_TRUE(reported.losses.empty());
  book.add(0, {step(1, 1)});
  ASSERT_TRUE(book.log_complete(log).ok());
  EXPECT_FALSE(book.is_empty());
  book.add(0, {step(2, 2)});
  ASSERT_TRUE(book.log_complete(log).ok());
  ASSERT_TRUE(log.flush().ok());
  EXPECT_TRUE(book.is_empty());
  EXPECT_THAT(reported.losses, ElementsAre(2, 3.5));
}

TEST(RankBook, WeighsTheLossesOfUnequalShares) {
  Reported reported;
  StepLog log(reported.report, 0);
  RankBook book(4);
  // Three samples for four ranks: one has none, and its result does not count.
  book.add(0, {step(1, std::nan(""), 0)});
  for (const std::size_t rank : {1U, 2U, 3U}) {
    book.add(rank, {step(1, static_cast<double>(rank), 4.0 / 3)});
  }
  ASSERT_TRUE(book.log_complete(log).ok());
  ASSERT_TRUE(log.flush().ok());
  ASSERT_EQ(reported.losses.size(), 1U);
  EXPECT_DOUBLE_EQ(reported.losses[0], 2);
}

TEST(RankBook, ReportsEachRanksPartOnce) {
  Reported reported;
  StepLog log(reported.report, 0);
  RankBook book(2);
  book.add(0, {step(6), step(7)});
  book.add(1, {step(6), step(7)});
  ASSERT_TRUE(book.log_complete(log).ok());
  ASSERT_TRUE(book.report(reported.report, true).ok());
  ASSERT_TRUE(book.report(reported.report, true).ok());
  ASSERT_EQ(reported.done.size(), 1U);
  EXPECT_EQ(problem_of(reported.done[0]), "");
  EXPECT_EQ(reported.done[0].first_step, 6);
  ASSERT_EQ(reported.done[0].ranks.size(), 2U);
  EXPECT_EQ(reported.done[0].ranks[1].rank, 1);
  EXPECT_THAT(reported.done[0].ranks[1].comm_seconds, ElementsAre(0.75, 0.75));
}

TEST(RankBook, DifferentStepsAreAnError) {
  Reported reported;
  StepLog log(reported.report, 0);
  RankBook book(2);
  book.add(0, {step(1)});
  book.add(1, {step(2)});
  book.add(2, {step(1)});  // no such rank
  EXPECT_FALSE(book.log_complete(log).ok());
}

}  // namespace
}  // namespace tacho
