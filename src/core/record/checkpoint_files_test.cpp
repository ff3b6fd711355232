#include "core/record/checkpoint_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class CheckpointFiles : public testing::Test {
 protected:
  // A checkpoint without tensors.
  void write(std::int64_t epoch, const Json& metadata) {
    const std::string header = json_text({{"__metadata__", metadata}});
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(header.size());
    ASSERT_LT(header.size(), 128U);
    ASSERT_TRUE(make_folders(folder_.checkpoints()).ok());
    ASSERT_TRUE(write_file_atomically(path(epoch), bytes + header).ok());
  }
  [[nodiscard]] std::filesystem::path path(std::int64_t epoch) const {
    return folder_.checkpoints() / checkpoint_name(epoch);
  }

  ScratchFolder scratch_;
  RunFolder folder_{scratch_.path()};
};

TEST_F(CheckpointFiles, TheNewestNamesTheBest) {
  write(3, {{"best_epoch", "3"}});
  write(12, {{"best_epoch", "3"}});
  EXPECT_EQ(newest_checkpoint_epoch(folder_), 12);
  EXPECT_EQ(*best_checkpoint(folder_), path(3));
}

TEST_F(CheckpointFiles, ReturningToTheBestRemovesTheLaterOnes) {
  write(3, {{"best_epoch", "3"}});
  write(5, {{"best_epoch", "3"}});
  ASSERT_TRUE(return_to_best_checkpoint(folder_).ok());
  EXPECT_EQ(newest_checkpoint(folder_), path(3));
  ASSERT_TRUE(return_to_best_checkpoint(folder_).ok());
  EXPECT_EQ(newest_checkpoint(folder_), path(3));
}

TEST_F(CheckpointFiles, ABestThatWasNotKeptIsAnError) {
  EXPECT_EQ(best_checkpoint(folder_).error().code, ErrorCode::not_found);
  write(5, {{"best_epoch", "3"}});
  EXPECT_THAT(best_checkpoint(folder_).error().message, HasSubstr("train with --keep best"));
  EXPECT_FALSE(return_to_best_checkpoint(folder_).ok());
  EXPECT_EQ(newest_checkpoint_epoch(folder_), 5);
  write(6, {{"epochs", "6"}});  // of an older version
  EXPECT_EQ(best_checkpoint(folder_).error().code, ErrorCode::not_found);
}

TEST_F(CheckpointFiles, ADamagedFileIsAnError) {
  write(1, {});
  for (const std::string& bytes :
       {std::string(), std::string("\xff\xff\xff\xff\xff\xff\xff\xff"),
        std::string("\x02\0\0\0\0\0\0\0{", 9), std::string("\x02\0\0\0\0\0\0\0[]", 10)}) {
    ASSERT_TRUE(write_file_atomically(path(1), bytes).ok());
    EXPECT_FALSE(best_checkpoint(folder_).ok());
  }
}

}  // namespace
}  // namespace tacho
