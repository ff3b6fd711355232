#include "base/private_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr Bytes kLimit{64};

class PrivateFile : public testing::Test {
 protected:
  void expect_refused(const std::string& why) const {
    const auto read = read_private(path_, kLimit);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::usage);
    EXPECT_THAT(read.error().message, HasSubstr(path_.string()));
    EXPECT_THAT(read.error().message, HasSubstr(why));
  }

  ScratchFolder scratch_;
  fs::path path_ = scratch_.path() / "secret";
};

TEST_F(PrivateFile, IsReadableOnlyByItsOwner) {
  const mode_t before = ::umask(0);
  EXPECT_TRUE(write_private(path_, "first").ok());
  EXPECT_TRUE(write_private(path_, "second").ok());
  ::umask(before);
  EXPECT_EQ(*read_private(path_, kLimit), "second");
  struct stat facts {};
  ASSERT_EQ(::stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600U);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), fs::directory_iterator()), 1);
}

TEST_F(PrivateFile, IsRefusedIfOthersCanReadIt) {
  ASSERT_TRUE(write_private(path_, "s").ok());
  fs::permissions(path_, fs::perms::group_read, fs::perm_options::add);
  expect_refused("its mode is 0640; remove it");
}

TEST_F(PrivateFile, IsRefusedIfAnotherUserOwnsIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(write_private(path_, "s").ok());
  ASSERT_EQ(::chown(path_.c_str(), kNobody, static_cast<gid_t>(-1)), 0);
  expect_refused("user 65534 owns it");
}

TEST_F(PrivateFile, IsNotALink) {
  const fs::path other = scratch_.path() / "other";
  ASSERT_TRUE(write_private(other, "s").ok());
  fs::create_symlink(other, path_);
  expect_refused("not a regular file");
  ASSERT_TRUE(write_private(path_, "t").ok());
  EXPECT_EQ(*read_private(other, kLimit), "s");
  EXPECT_EQ(*read_private(path_, kLimit), "t");
}

TEST_F(PrivateFile, MayBeMissing) {
  EXPECT_EQ(read_private(path_, kLimit).error().code, ErrorCode::not_found);
  EXPECT_FALSE(write_private(path_ / "below", "s").ok());
}

}  // namespace
}  // namespace tacho
