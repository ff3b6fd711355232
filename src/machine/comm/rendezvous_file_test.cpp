#include "machine/comm/rendezvous_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/file.h"
#include "base/private_file.h"
#include "base/scratch_folder.h"
#include "machine/comm/announcement.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const MeetingPoint kFirst{"a", {"10.0.0.5", 40123}, "0123456789abcdef"};

std::string refused(const Result<void>& written) {
  EXPECT_FALSE(written.ok());
  if (written.ok()) return "";
  EXPECT_EQ(written.error().code, ErrorCode::usage);
  return written.error().message;
}

class InAFolder : public testing::Test {
 protected:
  ScratchFolder scratch_;
  RendezvousFile file_{scratch_.path() / "job"};
};

TEST(RendezvousFileName, IsAPathOrAUrl) {
  EXPECT_EQ(*RendezvousFile::parse("file:/shared/job"), RendezvousFile("/shared/job"));
  EXPECT_EQ(*RendezvousFile::parse("file:///shared/job"), RendezvousFile("/shared/job"));
  EXPECT_EQ(*RendezvousFile::parse("file:job"), RendezvousFile("job"));
  EXPECT_EQ(*RendezvousFile::parse("node1:29500"), std::nullopt);
  for (const char* wrong : {"file:", "file://", "file://node1/job", "file:/shared/", "file:.."}) {
    const auto parsed = RendezvousFile::parse(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    EXPECT_EQ(parsed.error().code, ErrorCode::usage);
    EXPECT_THAT(parsed.error().message, HasSubstr("write file:PATH or file:///PATH"));
  }
}

TEST_F(InAFolder, TellsTheOtherMachinesWhatMachine0Wrote) {
  EXPECT_EQ(*file_.read(), std::nullopt);
  ASSERT_TRUE(file_.write(kFirst).ok());
  EXPECT_EQ(*file_.read(), kFirst);
  const MeetingPoint second{"b", {"fe80::1", 1}, ""};
  ASSERT_TRUE(file_.write(second).ok());
  EXPECT_EQ(*file_.read(), second);
}

TEST_F(InAFolder, CountsAsMissingWhileItIsEmpty) {
  ASSERT_TRUE(write_private(file_.path(), "").ok());
  EXPECT_EQ(*file_.read(), std::nullopt);
  EXPECT_TRUE(file_.write(kFirst).ok());
}

TEST_F(InAFolder, IsRemovedByItsAttemptOnly) {
  ASSERT_TRUE(file_.write(kFirst).ok());
  file_.remove("b");
  EXPECT_EQ(*file_.read(), kFirst);
  file_.remove("a");
  EXPECT_FALSE(fs::exists(file_.path()));
}

TEST_F(InAFolder, ReplacesNoOtherFile) {
  ASSERT_TRUE(write_private(file_.path(), "import torch\n").ok());
  EXPECT_THAT(refused(file_.write(kFirst)), HasSubstr("not the rendezvous file of a job"));
  EXPECT_EQ(*read_file(file_.path()), "import torch\n");
  EXPECT_FALSE(file_.read().ok());
}

TEST_F(InAFolder, IsRefusedIfOthersCanReadIt) {
  ASSERT_TRUE(file_.write(kFirst).ok());
  fs::permissions(file_.path(), fs::perms::others_read, fs::perm_options::add);
  EXPECT_THAT(refused(file_.write(kFirst)), HasSubstr("its mode is 0604; remove it"));
  EXPECT_EQ(file_.read().error().code, ErrorCode::usage);
}

TEST_F(InAFolder, IsNotALink) {
  const RendezvousFile other(scratch_.path() / "other");
  ASSERT_TRUE(other.write(kFirst).ok());
  fs::create_symlink(other.path(), file_.path());
  EXPECT_THAT(refused(file_.write(kFirst)), HasSubstr("name another file"));
  EXPECT_FALSE(file_.read().ok());
}

TEST_F(InAFolder, NeedsTheFolder) {
  const RendezvousFile nowhere(scratch_.path() / "no" / "job");
  EXPECT_THAT(refused(nowhere.check_writable()), HasSubstr("not a folder that you can write to"));
  EXPECT_THAT(nowhere.read().error().message, HasSubstr("not a folder that you can read"));
}

TEST_F(InAFolder, NeedsToWriteToTheFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can write to every folder";
  fs::permissions(scratch_.path(), fs::perms::owner_write, fs::perm_options::remove);
  EXPECT_THAT(refused(file_.check_writable()), HasSubstr("not a folder that you can write to"));
  fs::permissions(scratch_.path(), fs::perms::owner_write, fs::perm_options::add);
}

TEST_F(InAFolder, IsRefusedWithAWrongField) {
  const auto refuses = [this](const std::string& text) {
    EXPECT_TRUE(write_private(file_.path(), text).ok());
    return !file_.read().ok();
  };
  const std::string good =
      R"({"tacho_rendezvous": 1, "attempt": "a", "address": "b:1", "secret": "0123456789abcdef"})";
  EXPECT_FALSE(refuses(good));
  for (const auto& [part, wrong] : {std::pair{"us\": 1", "us\": 2"},
                                    {"b:1", "b"},
                                    {"b:1", "b:0"},
                                    {"0123456789", ""},
                                    {"attempt", "atempt"},
                                    {"}", ""}}) {
    std::string text = good;
    EXPECT_TRUE(refuses(text.replace(text.find(part), std::string(part).size(), wrong))) << text;
  }
}

TEST_F(InAFolder, AnAnnouncementEndsWithItsAttempt) {
  {
    auto first = Announcement::make(file_, kFirst.address, kFirst.secret);
    ASSERT_TRUE(first.ok()) << first.error().message;
    const auto point = *file_.read();
    ASSERT_TRUE(point);
    EXPECT_EQ(point->address, kFirst.address);
    EXPECT_EQ(point->secret, kFirst.secret);
    const Announcement moved = *std::move(first);
    const auto second = Announcement::make(file_, kFirst.address, "");
    ASSERT_TRUE(second.ok());
    EXPECT_NE((*file_.read())->attempt, point->attempt);
    EXPECT_EQ((*file_.read())->secret, "");
  }
  EXPECT_FALSE(fs::exists(file_.path()));
}

}  // namespace
}  // namespace tacho
