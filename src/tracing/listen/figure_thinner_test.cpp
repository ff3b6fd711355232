#include "tracing/listen/figure_thinner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

FiguresSeen line(double loss, const std::string& name = "loss") {
  return {.from = "output", .step = std::nullopt, .values = {{name, loss}}};
}

void append(std::vector<FiguresSeen>& all, std::vector<FiguresSeen> more) {
  for (FiguresSeen& each : more) all.push_back(std::move(each));
}

std::vector<double> values_of(const std::vector<FiguresSeen>& written, const std::string& name) {
  std::vector<double> values;
  for (const FiguresSeen& seen : written) {
    if (seen.values.contains(name)) values.push_back(seen.values.at(name));
  }
  return values;
}

TEST(FigureThinner, AShortProgramKeepsEveryLine) {
  FigureThinner thinner;
  for (int i = 0; i < 4096; ++i) {
    const auto written = thinner.add(line(i));
    ASSERT_EQ(written.size(), 1U);
    EXPECT_EQ(written.front().step, std::nullopt);
  }
  EXPECT_TRUE(thinner.finish().empty());
  EXPECT_EQ(thinner.left_out(), 0);
}

TEST(FigureThinner, AMillionLinesAreThinnedAndTheLastIsKept) {
  FigureThinner thinner;
  std::vector<FiguresSeen> written;
  constexpr int kLines = 1'000'003;
  for (int i = 0; i < kLines; ++i) append(written, thinner.add(line(std::sin(i))));
  append(written, thinner.finish());
  EXPECT_LT(written.size(), 25'000U);
  EXPECT_GT(written.size(), 10'000U);
  EXPECT_EQ(written.back().values.at("loss"), std::sin(kLines - 1));
  EXPECT_EQ(written.back().step, kLines);
  EXPECT_EQ(thinner.seen(), kLines);
  EXPECT_EQ(thinner.left_out(), kLines - static_cast<std::int64_t>(written.size()));
}

TEST(FigureThinner, ExtremesSurviveInOrder) {
  FigureThinner thinner;
  std::vector<FiguresSeen> written;
  for (int i = 0; i < 100'000; ++i) {
    append(written, thinner.add(line(i == 77'777 ? -5 : i == 88'889 ? 9 : 1)));
  }
  append(written, thinner.finish());
  const auto values = values_of(written, "loss");
  const auto low = std::ranges::find(values, -5);
  const auto high = std::ranges::find(values, 9);
  ASSERT_NE(low, values.end());
  ASSERT_NE(high, values.end());
  EXPECT_LT(low, high);
  EXPECT_EQ(values.back(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(written.begin() + 4096, written.end(), {},
                                     [](const FiguresSeen& seen) { return seen.step; }));
}

TEST(FigureThinner, ARareFigureIsNotThinnedWithACommonOne) {
  FigureThinner thinner;
  std::vector<FiguresSeen> written;
  for (int i = 0; i < 200'000; ++i) {
    append(written, thinner.add(line(i)));
    if (i % 1000 == 999) append(written, thinner.add(line(i, "accuracy")));
  }
  EXPECT_EQ(values_of(written, "accuracy").size(), 200U);
}

TEST(FigureThinner, NumberedNamesAreBounded) {
  FigureThinner thinner;
  std::vector<FiguresSeen> written;
  for (int i = 0; i < 300'000; ++i) {
    append(written, thinner.add(line(i, "item_" + std::to_string(i % 50'000))));
  }
  append(written, thinner.finish());
  EXPECT_LT(written.size(), 3000U);
  EXPECT_EQ(written.back().values.begin()->second, 299'999);
}

// Otherwise a kill would lose it.
TEST(FigureThinner, TheLastLineIsWrittenWithinASecond) {
  FigureThinner thinner;
  for (int i = 0; i < 10'003; ++i) (void)thinner.add(line(i));
  EXPECT_TRUE(thinner.tick(Seconds(0.5)).empty());
  const auto written = thinner.tick(Seconds(1.1));
  ASSERT_FALSE(written.empty());
  EXPECT_EQ(written.back().values.at("loss"), 10'002);
  EXPECT_TRUE(thinner.tick(Seconds(5)).empty());
  EXPECT_TRUE(thinner.finish().empty());
}

TEST(FigureThinner, AWeekOfTicksStaysSmall) {
  FigureThinner thinner;
  for (int i = 0; i < 10'000; ++i) (void)thinner.add(line(i));
  std::size_t written = 0;
  for (int second = 1; second <= 7 * 24 * 3600; ++second) {
    for (int i = 0; i < 2; ++i) written += thinner.add(line(0.5)).size();
    written += thinner.tick(Seconds(second)).size();
  }
  EXPECT_LT(written, 60'000U);
}

}  // namespace
}  // namespace tacho
