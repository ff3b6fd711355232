#include "experiments/exchange/wandb_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/exchange/test_wandb.h"

namespace tacho {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

constexpr std::size_t kBlock = 32768;

// Returns all records, and the message of an error as the last one.
std::vector<std::string> records_in(std::string_view file) {
  auto log = WandbLog::open(file);
  std::vector<std::string> records;
  if (!log.ok()) return {log.error().message};
  while (true) {
    const auto record = log->next();
    if (!record.ok()) records.push_back(record.error().message);
    if (!record.ok() || !*record) return records;
    records.emplace_back(**record);
  }
}

// The checksum was computed by Python's zlib.
TEST(WandbLog, ReadsARecordInOneChunk) {
  const std::string_view file(
      ":W&B\xE1\xBE\0\xA9\x20\x9D\x53\x03\0\x01"
      "abc",
      17);
  EXPECT_THAT(records_in(file), ElementsAreArray({"abc"}));
}

TEST(WandbLog, JoinsTheChunksOfARecordAndSkipsPadding) {
  // The second record ends where no head of a chunk fits into the block any more.
  for (std::size_t rest = 0; rest <= 16; ++rest) {
    const std::vector<std::string> records = {"a", std::string(kBlock - 7 - 8 - 7 - rest, 'b'),
                                              std::string(3 * kBlock, 'c'), "", "d"};
    EXPECT_THAT(records_in(wandb_file(records)), ElementsAreArray(records)) << rest;
  }
}

TEST(WandbLog, LeavesOutARecordThatIsCutOffAtTheEnd) {
  const std::vector<std::string> records = {"first", std::string(2 * kBlock, 'x')};
  const std::string file = wandb_file(records);
  for (std::size_t size = file.size() - 1; size > 20; size -= 997) {
    EXPECT_THAT(records_in(std::string_view(file).substr(0, size)), ElementsAreArray({"first"}));
    if (size < 1000) break;
  }
}

TEST(WandbLog, SkipsBlocksThatWereNeverWritten) {
  const std::string file = wandb_file({"first"}) + std::string(2 * kBlock, '\0');
  EXPECT_THAT(records_in(file), ElementsAreArray({"first"}));
}

TEST(WandbLog, ReportsWhereAChunkIsDamaged) {
  std::string file = wandb_file({"first", "second"});
  const std::size_t second = 7 + 7 + 5;
  file[second + 9] ^= 1;
  EXPECT_THAT(records_in(file).back(), HasSubstr("damaged at byte 19"));
}

TEST(WandbLog, RefusesChunksOutOfOrder) {
  const std::string head = wandb_file({});
  EXPECT_THAT(records_in(head + wandb_chunk(3, "x")).back(), HasSubstr("damaged at byte 7"));
  EXPECT_THAT(records_in(head + wandb_chunk(2, "x") + wandb_chunk(1, "y")).back(),
              HasSubstr("damaged at byte 15"));
  EXPECT_THAT(records_in(head + wandb_chunk(9, "x")).back(), HasSubstr("damaged at byte 7"));
}

TEST(WandbLog, RefusesOtherFiles) {
  EXPECT_THAT(records_in("").back(), HasSubstr("not a log of W&B"));
  std::string newer = wandb_file({"first"});
  newer[6] = 1;
  EXPECT_THAT(records_in(newer).back(), HasSubstr("not a log of W&B (format version 0)"));
}

}  // namespace
}  // namespace tacho
