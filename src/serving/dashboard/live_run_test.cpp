#include "serving/dashboard/live_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/record/event.h"

namespace tacho::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

class LiveRunTest : public testing::Test {
 protected:
  void write(const EventBody& body) {
    std::ofstream(folder_.path() / "events.jsonl", std::ios::app) << to_line({1, body}) << "\n";
  }
  void add_sample(double time, double cpu) {
    UsageSample sample;
    sample.unix_seconds = time;
    sample.user_s = cpu;
    std::ofstream(folder_.path() / "usage.jsonl", std::ios::app) << to_line(sample) << "\n";
  }
  static StepsDone steps(std::int64_t first, std::vector<double> loss) {
    const std::vector<double> zeros(loss.size(), 0.0);
    return {.first_step = first, .seconds = zeros, .input_seconds = zeros, .loss = std::move(loss)};
  }
  LiveRun live(LiveRun::From from = {}) {
    return {folder_.path(), from, [this] { ++stored_; }};
  }

  ScratchFolder folder_;
  FileLock lock_ = *FileLock::take(folder_.path() / "lock", FileLock::Kind::shared);
  int stored_ = 0;
};

TEST_F(LiveRunTest, SendsEachEventOnce) {
  LiveRun run = live();
  EXPECT_EQ(run.next(), "");
  write(steps(1, {3, 2}));
  const std::string first = *run.next();
  EXPECT_THAT(first, HasSubstr("id: 2;0;0\nevent: steps\n"));
  EXPECT_THAT(first, HasSubstr("\"loss\":[3.0,2.0]"));
  EXPECT_EQ(run.next(), "");
  write(EpochDone{.epoch = 1, .top1 = 0.5});
  EXPECT_THAT(*run.next(), HasSubstr("event: epoch\n"));
}

TEST_F(LiveRunTest, ContinuesAtTheClientsPosition) {
  write(steps(1, {3, 2, 1}));
  add_sample(10, 0);
  add_sample(11, 2);
  add_sample(12, 3);
  const std::string text = *live({.step = 2, .usage_time = 11}).next();
  EXPECT_THAT(text, HasSubstr("\"first_step\":3"));
  EXPECT_THAT(text, HasSubstr("\"loss\":[1.0]"));
  EXPECT_THAT(text, HasSubstr("\"unix_seconds\":[12.0]"));
  EXPECT_THAT(text, HasSubstr("\"cores\":{\"mean\":[1.0]}"));
  EXPECT_THAT(*live({.step = 3, .usage_time = 12}).next(), Not(HasSubstr("event")));
}

TEST_F(LiveRunTest, SendsFiguresThatTheClientLacks) {
  for (const double loss : {3, 2}) write(FiguresSeen{"output", std::nullopt, {{"loss", loss}}});
  const std::string text = *live({.figures = 1}).next();
  EXPECT_THAT(text, HasSubstr("id: 0;0;2\nevent: figures\n"
                              "data: {\"step\":null,\"unix_seconds\":1.0,"
                              "\"values\":{\"loss\":2.0}}"));
  EXPECT_THAT(text, Not(HasSubstr("3.0")));
}

TEST_F(LiveRunTest, WaitsForTheEndOfALine) {
  LiveRun run = live();
  add_sample(10, 0);
  std::ofstream(folder_.path() / "usage.jsonl", std::ios::app) << "{\"unix";
  EXPECT_EQ(run.next(), "");
}

TEST_F(LiveRunTest, SendsEndAfterTheRecordIsStored) {
  LiveRun run = live();
  (void)run.next();
  { const FileLock gone = std::move(lock_); }
  write(steps(1, {3}));
  std::string text;
  while (auto piece = run.next()) text += *piece;
  EXPECT_THAT(text, HasSubstr("event: steps"));
  EXPECT_THAT(text, testing::EndsWith("event: end\ndata: {}\n\n"));
  EXPECT_EQ(stored_, 1);
}

TEST_F(LiveRunTest, EndsAtADamagedLine) {
  std::ofstream(folder_.path() / "events.jsonl") << "{\n{\n{\n";
  LiveRun run = live();
  EXPECT_THAT(*run.next(), HasSubstr("event: note"));
  EXPECT_EQ(run.next(), std::nullopt);
}

TEST_F(LiveRunTest, ParsesPositionsStrictly) {
  EXPECT_EQ(live_position("12;3.5;7").step, 12);
  EXPECT_EQ(live_position("12;3.5;7").usage_time, 3.5);
  EXPECT_EQ(live_position("12;3.5;7").figures, 7);
  EXPECT_EQ(live_position("12;3.5").usage_time, 3.5);
  for (const char* wrong : {"", "12", "x;1", "12;", "12;1x", ";", "12;1;", "12;1;x"}) {
    EXPECT_EQ(live_position(wrong).step, 0) << wrong;
  }
}

}  // namespace
}  // namespace tacho::serve
