#include "core/emit/tensorboard_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/scratch_folder.h"
#include "tensorboard_event_test.pb.h"

namespace tacho {
namespace {

using test_proto::TensorBoardEvent;
using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

constexpr double kNow = 1'700'000'000;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// Computed bit by bit, highest bit first, independently of the implementation under test.
std::uint32_t slow_masked_crc32c(std::string_view bytes) {
  const auto reversed = [](std::uint32_t value, int bits) {
    std::uint32_t out = 0;
    for (int i = 0; i < bits; ++i) out = out << 1 | (value >> i & 1);
    return out;
  };
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= reversed(static_cast<unsigned char>(byte), 8) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80000000) ? crc << 1 ^ 0x1EDC6F41 : crc << 1;
  }
  crc = ~reversed(crc, 32);
  return (crc >> 15 | crc << 17) + 0xA282EAD8;
}

std::vector<TensorBoardEvent> decode(std::string_view file) {
  std::vector<TensorBoardEvent> events;
  const auto take = [&file](std::size_t count) {
    const std::string_view piece = file.substr(0, count);
    EXPECT_EQ(piece.size(), count) << "the file ends within a record";
    file.remove_prefix(piece.size());
    return piece;
  };
  while (!file.empty()) {
    const auto length = take(8);
    EXPECT_EQ(little_endian(take(4)), slow_masked_crc32c(length));
    const auto data = take(little_endian(length));
    EXPECT_EQ(little_endian(take(4)), slow_masked_crc32c(data));
    TensorBoardEvent event;
    EXPECT_TRUE(event.ParseFromArray(data.data(), static_cast<int>(data.size())));
    EXPECT_TRUE(event.GetReflection()->GetUnknownFields(event).empty());
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<std::pair<std::string, float>> scalars(const TensorBoardEvent& event) {
  std::vector<std::pair<std::string, float>> found;
  for (const auto& value : event.summary().value()) {
    EXPECT_TRUE(value.has_simple_value()) << value.tag();
    found.emplace_back(value.tag(), value.simple_value());
  }
  return found;
}

// Returns the content of the file after these events, without the version record, which is checked.
std::vector<TensorBoardEvent> written(const std::vector<Event>& events) {
  const ScratchFolder folder;
  const auto sink = TensorBoardSink::open(folder.path(), kNow);
  for (const Event& event : events) EXPECT_TRUE((*sink)->write(event).ok());
  auto decoded = decode(*read_file((*sink)->path()));
  EXPECT_EQ(decoded.at(0).file_version(), "brain.Event:2");
  EXPECT_EQ(decoded.at(0).wall_time(), kNow);
  decoded.erase(decoded.begin());
  return decoded;
}

TEST(TensorBoardSink, ComputesTheTimesOfStepsBackwardsFromTheirEvent) {
  const auto events =
      written({{kNow + 10, StepsDone{1, 5, 0, {2, 0.5, 1}, {0.25, 0, 0.125}, {2.5, 2, 1.5}}}});
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(events[0].wall_time(), kNow + 8.5);
  EXPECT_EQ(events[1].wall_time(), kNow + 9);
  EXPECT_EQ(events[2].wall_time(), kNow + 10);
  EXPECT_EQ(events[0].step(), 5);
  EXPECT_EQ(events[2].step(), 7);
  EXPECT_THAT(scalars(events[0]), ElementsAre(Pair("train/loss", 2.5F), Pair("train/step_s", 2.F),
                                              Pair("train/input_s", 0.25F)));
  EXPECT_THAT(scalars(events[1]), ElementsAre(Pair("train/loss", 2.F), Pair("train/step_s", 0.5F),
                                              Pair("train/input_s", 0.F)));
}

TEST(TensorBoardSink, WritesTheCommunicationOfRankZero) {
  const RankSteps one{1, {2, 1}, {0, 0}, {1, 1}, {9, 9}, {9, 9}, {8, 8}, {8, 8}};
  const RankSteps zero{0, {2, 1}, {0, 0}, {1, 1}, {0.5, 0.75}, {0.25, 0}, {8, 8}, {8, 8}};
  const auto events = written({{kNow + 10, RanksDone{5, {one, zero}}}});
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].wall_time(), kNow + 9);
  EXPECT_EQ(events[1].step(), 6);
  EXPECT_THAT(scalars(events[0]),
              ElementsAre(Pair("comm/seconds", 0.5F), Pair("comm/exposed", 0.25F)));
}

TEST(TensorBoardSink, WritesFiguresOfAProgramWithAllDigits) {
  const auto events = written({{kNow + 0.1, FiguresSeen{"python", 7, {{"loss", 0.1}}}}});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].wall_time(), kNow + 0.1);
  EXPECT_EQ(events[0].step(), 7);
  ASSERT_EQ(events[0].summary().value_size(), 1);
  const auto& value = events[0].summary().value(0);
  EXPECT_EQ(value.tag(), "loss");
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "scalars");
  EXPECT_EQ(value.metadata().data_class(), 1);
  EXPECT_EQ(value.tensor().dtype(), 2);
  EXPECT_TRUE(value.tensor().has_tensor_shape());
  EXPECT_THAT(value.tensor().double_val(), ElementsAre(0.1));
}

TEST(TensorBoardSink, CountsEpochsAsSteps) {
  const auto events =
      written({{kNow + 1, EpochDone{300, 938, 60000, 0.05, 0.5, 0.75, 10, 0.25, 0.875, 1, 2}}});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].wall_time(), kNow + 1);
  EXPECT_EQ(events[0].step(), 300);
  EXPECT_THAT(scalars(events[0]),
              ElementsAre(Pair("epoch/train_loss", 0.5F), Pair("epoch/train_top1", 0.75F),
                          Pair("epoch/learning_rate", 0.05F), Pair("eval/loss", 0.25F),
                          Pair("eval/top1", 0.875F), Pair("eval/top5", 1.F)));
}

TEST(TensorBoardSink, KeepsLargeStepsAndLossesThatAreNotNumbers) {
  const std::int64_t step = std::int64_t{1} << 40;
  const auto events = written({{kNow, StepsDone{1, step, 0, {1}, {0}, {std::nan("")}}}});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].step(), step);
  EXPECT_TRUE(std::isnan(scalars(events[0])[0].second));
}

TEST(TensorBoardSink, WritesNothingForEventsWithoutScalars) {
  EXPECT_THAT(written({{kNow, RunStarted{}}, {kNow, Note{"hello"}}, {kNow, RunEnded{}}}),
              SizeIs(0));
}

TEST(TensorBoardSink, AResumedAttemptReplacesTheStepsItRepeats) {
  const auto events = written({{kNow, RunStarted{.attempt = 2, .resumed_epochs = 3}},
                               {kNow + 1, InputReady{.steps_per_epoch = 100}}});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].session_log().status(), 1);
  EXPECT_EQ(events[0].step(), 301);
  EXPECT_THAT(written({{kNow, RunStarted{}}, {kNow + 1, InputReady{.steps_per_epoch = 100}}}),
              SizeIs(0));
}

TEST(TensorBoardSink, AnEventIsInTheFileBeforeTheSinkIsDestroyed) {
  const ScratchFolder folder;
  const auto sink = TensorBoardSink::open(folder.path(), kNow);
  ASSERT_TRUE((*sink)->write({kNow, EpochDone{}}).ok());
  EXPECT_THAT(decode(*read_file((*sink)->path())), SizeIs(2));
}

TEST(TensorBoardSink, CreatesOneFilePerAttempt) {
  const ScratchFolder folder;
  const auto tensorboard = folder.path() / "run" / "tensorboard";
  const auto first = TensorBoardSink::open(tensorboard, kNow);
  const auto second = TensorBoardSink::open(tensorboard, kNow + 0.5);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_THAT((*first)->path().filename().string(),
              testing::StartsWith("events.out.tfevents.1700000000."));
  EXPECT_EQ((*second)->path().string(), (*first)->path().string() + ".1");
}

TEST(TensorBoardSink, ReportsWhyItCannotStart) {
  const auto sink = TensorBoardSink::open("/dev/null/tensorboard", kNow);
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().message, "/dev/null/tensorboard: cannot be created: Not a directory");
}

}  // namespace
}  // namespace tacho
