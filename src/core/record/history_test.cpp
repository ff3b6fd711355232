#include "core/record/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/record/event.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class History : public testing::Test {
 protected:
  void write(const std::filesystem::path& file, const std::vector<Event>& events) {
    std::string text;
    for (const Event& event : events) text += to_line(event) + "\n";
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(write_file_atomically(file, text).ok());
  }
  std::vector<HistoryPoint> read() {
    auto history = read_history(folder_);
    EXPECT_TRUE(history.ok()) << history.error().message;
    return history.ok() ? *history : std::vector<HistoryPoint>();
  }

  ScratchFolder scratch_;
  RunFolder folder_{scratch_.path()};
};

Event logged(double time, std::int64_t step, std::map<std::string, double> values) {
  return {time, FiguresSeen{"python", step, std::move(values)}};
}

TEST_F(History, IsEmptyWithoutEvents) { EXPECT_THAT(read(), IsEmpty()); }

TEST_F(History, HasTheTimesAtWhichAllProcessesLogged) {
  // What tacho copied has other times and may be a selection.
  write(folder_.events(), {logged(9, 1, {{"loss", 3}})});
  write(folder_.logged() / "7.jsonl",
        {logged(1, 1, {{"loss", 3}}), logged(3, 2, {{"loss", 1}, {"top1", 0.5}})});
  write(folder_.logged() / "8.jsonl", {logged(2, 1, {{"loss", 2}})});
  EXPECT_THAT(read(),
              ElementsAre(HistoryPoint{1, 1, {{"loss", 3}}}, HistoryPoint{1, 2, {{"loss", 2}}},
                          HistoryPoint{2, 3, {{"loss", 1}, {"top1", 0.5}}}));
}

TEST_F(History, HasThePrintedFiguresNextToTheLoggedOnes) {
  write(folder_.events(), {{4, FiguresSeen{"output", std::nullopt, {{"loss", 3}}}}});
  write(folder_.logged() / "7.jsonl", {logged(1, 1, {{"top1", 0.5}})});
  EXPECT_THAT(read(), ElementsAre(HistoryPoint{1, 1, {{"top1", 0.5}}},
                                  HistoryPoint{std::nullopt, 4, {{"loss", 3}}}));
}

TEST_F(History, StepsOfATrainingEndBeforeTheirEventIsWritten) {
  write(folder_.events(), {{1, RunStarted{}},
                           {10, StepsDone{1, 5, 0, {2, 3}, {0.5, 0.25}, {4, 3}}},
                           {11, EpochDone{.epoch = 1, .train_loss = 3.5, .top1 = 0.75}}});
  const auto history = read();
  ASSERT_THAT(history, SizeIs(3));
  EXPECT_EQ(history[0],
            (HistoryPoint{5, 7, {{"train/loss", 4}, {"train/step_s", 2}, {"train/input_s", 0.5}}}));
  EXPECT_EQ(
      history[1],
      (HistoryPoint{6, 10, {{"train/loss", 3}, {"train/step_s", 3}, {"train/input_s", 0.25}}}));
  EXPECT_EQ(history[2].step, 6);
  EXPECT_EQ(history[2].unix_seconds, 11);
  EXPECT_EQ(history[2].values.at("epoch"), 1);
  EXPECT_EQ(history[2].values.at("epoch/train_loss"), 3.5);
  EXPECT_EQ(history[2].values.at("eval/top1"), 0.75);
}

TEST_F(History, AResumedAttemptReplacesWhatItRepeats) {
  write(folder_.events(), {{1, RunStarted{}},
                           {2, StepsDone{1, 1, 0, {1}, {0}, {4}}},
                           {3, StepsDone{2, 2, 0, {1}, {0}, {9}}},
                           {5, RunStarted{.attempt = 2, .resumed_epochs = 1}},
                           {6, StepsDone{2, 2, 0, {1}, {0}, {3}}}});
  std::vector<double> losses;
  for (const HistoryPoint& point : read()) losses.push_back(point.values.at("train/loss"));
  EXPECT_THAT(losses, ElementsAre(4, 3));
}

TEST_F(History, ADamagedFileIsAnErrorThatNamesIt) {
  std::filesystem::create_directories(folder_.logged());
  ASSERT_TRUE(write_file_atomically(folder_.logged() / "7.jsonl", "{}\n{}\n").ok());
  EXPECT_THAT(read_history(folder_).error().message, testing::HasSubstr("7.jsonl: line 1"));
}

}  // namespace
}  // namespace tacho
