#include "experiments/runner/home_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(HomeKey, IsCreatedOnceAndReadableOnlyByItsOwner) {
  const ScratchFolder scratch;
  const fs::path home = scratch.path() / "new";
  const auto key = home_key(home);
  ASSERT_TRUE(key.ok()) << key.error().message;
  EXPECT_EQ(key->size(), 64U);
  EXPECT_EQ(*home_key(home), *key);
  struct stat facts {};
  ASSERT_EQ(::stat((home / "job.key").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_EQ(std::distance(fs::directory_iterator(home), fs::directory_iterator()), 1);
}

TEST(HomeKey, IsRejectedIfOthersCanReadIt) {
  const ScratchFolder scratch;
  ASSERT_TRUE(home_key(scratch.path()).ok());
  const fs::path key = scratch.path() / "job.key";
  fs::permissions(key, fs::perms::group_read, fs::perm_options::add);
  EXPECT_THAT(home_key(scratch.path()).error().message, HasSubstr("only you can read"));
  fs::rename(key, scratch.path() / "elsewhere");
  fs::create_symlink(scratch.path() / "elsewhere", key);
  EXPECT_FALSE(home_key(scratch.path()).ok());
}

}  // namespace
}  // namespace tacho
