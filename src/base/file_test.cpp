#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

TEST(WriteFileAtomically, ReplacesAndLeavesNoTemporaryFile) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "a.json";
  ASSERT_TRUE(write_file_atomically(file, "one").ok());
  ASSERT_TRUE(write_file_atomically(file, "two").ok());
  EXPECT_EQ(*read_file(file), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFileAtomically, NamesTheFolderThatIsMissing) {
  const auto written = write_file_atomically("/nonexistent/a.json", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::not_found);
  EXPECT_NE(written.error().message.find("/nonexistent/a.json"), std::string::npos);
}

TEST(WriteFileAtomically, KeepsALinkAndReplacesItsTarget) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "a.json";
  const fs::path link = folder.path() / "link.json";
  ASSERT_TRUE(write_file_atomically(file, "one").ok());
  fs::create_symlink("a.json", link);
  ASSERT_TRUE(write_file_atomically(link, "two").ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*read_file(file), "two");
}

// With a predictable name, the content could be written through a link that was put there before.
TEST(WriteFileAtomically, TheTemporaryFileHasAnUnpredictableName) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "a.json";
  const fs::path victim = folder.path() / "victim";
  ASSERT_TRUE(write_file_atomically(victim, "mine").ok());
  fs::create_symlink(victim, file.string() + ".tmp." + std::to_string(::getpid()));
  ASSERT_TRUE(write_file_atomically(file, "one").ok());
  EXPECT_EQ(*read_file(victim), "mine");
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_EQ(*read_file(file), "one");
}

TEST(WriteFileAtomically, WritesDirectlyToAPipe) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(write_file_atomically(pipe, "through").ok());
  std::array<char, 16> got{};
  EXPECT_EQ(::read(reader.get(), got.data(), got.size()), 7);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(WriteFileAtomically, RefusesAFolder) {
  const ScratchFolder folder;
  const auto written = write_file_atomically(folder.path(), "x");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::invalid);
}

// Writes to /dev/full fail like writes to a full disk.
TEST(WriteAll, ReportsAFullDisk) {
  const UniqueFd full(::open("/dev/full", O_WRONLY));
  ASSERT_TRUE(static_cast<bool>(full));
  const auto written = write_all(full.get(), "x", "/dev/full");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, "/dev/full: No space left on device");
}

TEST(ReadFile, RefusesMoreThanTheLimit) {
  const ScratchFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "big", std::string(2048, 'x')).ok());
  const auto read = read_file(folder.path() / "big", Bytes{1024});
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("larger than the 1.00 KiB"), std::string::npos);
  EXPECT_EQ(read_file(folder.path() / "none").error().code, ErrorCode::not_found);
}

TEST(ReadFile, ReadsFilesThatClaimToBeEmpty) {
  EXPECT_FALSE(read_file("/proc/self/stat")->empty());
}

TEST(FileLock, ExcludesOthersUntilItsOwnerIsGone) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "lock";
  {
    const auto held = FileLock::take(file, FileLock::Kind::shared);
    ASSERT_TRUE(held.ok());
    EXPECT_TRUE(FileLock::take(file, FileLock::Kind::shared).ok());
    const auto refused = FileLock::take(file, FileLock::Kind::exclusive);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  }
  EXPECT_TRUE(FileLock::take(file, FileLock::Kind::exclusive).ok());
}

}  // namespace
}  // namespace tacho
