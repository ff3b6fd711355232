#include "tracing/listen/tensorboard_tail.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/random.h"
#include "base/scratch_folder.h"
#include "core/emit/protobuf_wire.h"
#include "core/emit/tensorboard_sink.h"
#include "core/emit/tf_record.h"

namespace tacho {
namespace {

// Returns a scalar in the format of TensorFlow 2 and newer writers.
std::string tensor_record(std::int64_t step, const std::string& tag, float value) {
  std::string packed;
  append_fixed(packed, std::bit_cast<std::uint32_t>(value));
  ProtobufMessage tensor;
  tensor.add_int64(1, 1).add_bytes(4, packed);
  ProtobufMessage scalar;
  scalar.add_bytes(1, tag).add_bytes(8, tensor.bytes());
  ProtobufMessage summary;
  summary.add_bytes(1, scalar.bytes());
  ProtobufMessage event;
  event.add_double(1, 1000).add_int64(2, step).add_bytes(5, summary.bytes());
  return tf_record(event.bytes());
}

class TensorBoardTailTest : public testing::Test {
 protected:
  void write(std::string_view bytes) { ASSERT_TRUE(write_file_atomically(file_, bytes).ok()); }
  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "events.out.tfevents.1.x";
};

TEST_F(TensorBoardTailTest, ReadsWhatTheSinkWrites) {
  auto sink = TensorBoardSink::open(folder_.path(), 1000);
  ASSERT_TRUE(sink.ok());
  ASSERT_TRUE((*sink)
                  ->write({2, StepsDone{.first_step = 5,
                                        .seconds = {0.25},
                                        .input_seconds = {0.125},
                                        .loss = {2.5}}})
                  .ok());
  TensorBoardTail tail((*sink)->path());
  const auto seen = tail.read_new();
  ASSERT_TRUE(seen.ok());
  std::map<std::string, double> all;
  for (const Event& event : *seen) {
    const auto& figures = std::get<FiguresSeen>(event.body);
    EXPECT_EQ(event.unix_seconds, 2);
    EXPECT_EQ(figures.from, "tensorboard");
    EXPECT_EQ(figures.step, 5);
    all.insert(figures.values.begin(), figures.values.end());
  }
  EXPECT_EQ(all.at("train/loss"), 2.5);
  EXPECT_EQ(all.at("train/step_s"), 0.25);
  EXPECT_TRUE(tail.read_new()->empty());
}

TEST_F(TensorBoardTailTest, ReadsScalarsInTensors) {
  write(tensor_record(3, "loss", 0.75F));
  const auto seen = TensorBoardTail(file_).read_new();
  ASSERT_TRUE(seen.ok());
  ASSERT_EQ(seen->size(), 1U);
  const auto& figures = std::get<FiguresSeen>(seen->front().body);
  EXPECT_EQ(figures.step, 3);
  EXPECT_EQ(figures.values.at("loss"), 0.75);
}

TEST_F(TensorBoardTailTest, WaitsForTheRestOfARecord) {
  const std::string whole = tensor_record(1, "a", 1) + tensor_record(2, "a", 2);
  TensorBoardTail tail(file_);
  std::size_t records = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(std::string_view(whole).substr(0, size));
    const auto seen = tail.read_new();
    ASSERT_TRUE(seen.ok()) << size;
    records += seen->size();
  }
  EXPECT_EQ(records, 2U);
}

TEST_F(TensorBoardTailTest, StopsAtDamageAndReportsThePosition) {
  const std::string first = tensor_record(1, "a", 1);
  std::string bytes = first + tensor_record(2, "a", 2);
  bytes[first.size() + 20] ^= 1;
  write(bytes);
  TensorBoardTail tail(file_);
  EXPECT_EQ(tail.read_new()->size(), 1U);
  EXPECT_TRUE(tail.read_new()->empty());
}

TEST_F(TensorBoardTailTest, SurvivesAnyBytes) {
  const std::string whole = tensor_record(1, "a", 1) + tensor_record(2, "b", 2);
  Random random(3, 0);
  for (int i = 0; i < 100; ++i) {
    std::string bytes = whole;
    for (int change = 0; change < 3; ++change) {
      bytes[static_cast<std::size_t>(random.below(std::ssize(bytes)))] =
          static_cast<char>(random.below(256));
    }
    write(i % 2 == 0 ? bytes : tf_record(bytes));
    (void)TensorBoardTail(file_).read_new().ok();
  }
}

}  // namespace
}  // namespace tacho
