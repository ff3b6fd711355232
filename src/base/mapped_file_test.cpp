#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, HasTheContentOfTheFileEvenAfterItIsReplaced) {
  const ScratchFolder scratch;
  const auto path = scratch.path() / "file";
  ASSERT_TRUE(write_file_atomically(path, "content").ok());
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_TRUE(write_file_atomically(path, "").ok());
  EXPECT_EQ(text_of(*file), "content");
  const MappedFile moved = *std::move(file);
  EXPECT_EQ(text_of(moved), "content");
}

TEST(MappedFile, MayBeEmpty) {
  const ScratchFolder scratch;
  ASSERT_TRUE(write_file_atomically(scratch.path() / "file", "").ok());
  EXPECT_TRUE(MappedFile::open(scratch.path() / "file")->bytes().empty());
}

TEST(MappedFile, RefusesWhatIsNotAFile) {
  const ScratchFolder scratch;
  EXPECT_EQ(MappedFile::open(scratch.path() / "none").error().code, ErrorCode::not_found);
  EXPECT_EQ(MappedFile::open(scratch.path()).error().message,
            scratch.path().string() + ": not a file");
  const auto pipe = scratch.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(MappedFile::open(pipe).error().message, pipe.string() + ": not a file");
}

}  // namespace
}  // namespace tacho
