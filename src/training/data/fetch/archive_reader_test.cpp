#include "training/data/fetch/archive_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/fetch/folder_reader.h"
#include "training/data/fetch/test_archives.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

constexpr Bytes kLimit{1 << 20};

class ArchiveReaderTest : public testing::Test {
 protected:
  // Returns "path=content" of each file, then the error if there is one.
  std::vector<std::string> all(EntryReader& reader, Bytes limit = kLimit) {
    std::vector<std::string> texts;
    while (true) {
      const auto more = reader.next();
      if (more.ok() && !*more) return texts;
      const auto content = more.ok() ? reader.content(limit) : more.error();
      if (!content.ok()) {
        texts.push_back(content.error().message);
        return texts;
      }
      texts.push_back(std::string(reader.path()) + "=" + std::string(*content));
    }
  }

  std::vector<std::string> all(const Entries& entries, ArchiveKind kind, Bytes limit = kLimit) {
    put(file_, archive_bytes(entries, kind));
    auto reader = ArchiveReader::open(file_);
    if (!reader.ok()) return {reader.error().message};
    return all(*reader, limit);
  }

  const ScratchFolder scratch_;
  const fs::path file_ = scratch_.path() / "a.archive";
};

TEST_F(ArchiveReaderTest, ReadsTheFilesOfEveryKindOfArchive) {
  for (const auto kind : {ArchiveKind::tar, ArchiveKind::tar_gz, ArchiveKind::zip}) {
    EXPECT_THAT(all({{"./x", "1"}, {"folder/", ""}, {"folder/y", "22"}, {"empty", ""}}, kind),
                ElementsAre("x=1", "folder/y=22", "empty="));
  }
}

TEST_F(ArchiveReaderTest, ReadsAnArchiveWithinAnother) {
  std::string big(3 << 20, 'b');
  for (std::size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>(i * 7 % 251);
  const std::string inner =
      archive_bytes({{"x", "1"}, {"big", big}, {"y", "22"}}, ArchiveKind::tar);
  put(file_, archive_bytes({{"inner.tar", inner}, {"after", "3"}}, ArchiveKind::tar));
  auto outer = ArchiveReader::open(file_);
  ASSERT_TRUE(*outer->next());
  {
    auto within = ArchiveReader::within(*outer);
    EXPECT_THAT(all(*within, Bytes{4 << 20}), ElementsAre("x=1", "big=" + big, "y=22"));
  }
  EXPECT_THAT(all(*outer), ElementsAre("after=3"));
}

TEST_F(ArchiveReaderTest, RejectsLinksAndPathsOutside) {
  const std::string place = file_.string() + ": ";
  EXPECT_THAT(all({{"x", "->/etc/passwd"}}, ArchiveKind::tar),
              ElementsAre(place + "x: a link; only files are allowed"));
  EXPECT_THAT(all({{"x", "->/etc/passwd"}}, ArchiveKind::zip),
              ElementsAre(place + "x: a link; only files are allowed"));
  for (const std::string path : {"../x", "a/../../x", "/x", "..", "a/.."}) {
    for (const auto kind : {ArchiveKind::tar, ArchiveKind::zip}) {
      EXPECT_THAT(all({{path, "evil"}}, kind),
                  ElementsAre(place + path + ": its path leads outside of the target folder"));
    }
  }
}

TEST_F(ArchiveReaderTest, RejectsAFileAboveTheLimit) {
  EXPECT_THAT(all({{"x", "12345"}}, ArchiveKind::zip, Bytes{4}),
              ElementsAre(file_.string() + ": x: larger than the limit of 4 B"));
  EXPECT_THAT(all({{"x", "1234"}}, ArchiveKind::zip, Bytes{4}), ElementsAre("x=1234"));
}

TEST_F(ArchiveReaderTest, AnErrorNamesArchiveAndEntry) {
  const std::string content = "content of y";
  const std::string tar = archive_bytes({{"x", "1"}, {"y", content}}, ArchiveKind::tar);
  put(file_, tar.substr(0, tar.find(content) + 5));
  auto cut = ArchiveReader::open(file_);
  EXPECT_THAT(all(*cut), ElementsAre("x=1", AllOf(StartsWith(file_.string() + ": y: "),
                                                  HasSubstr("runcated"))));
  std::string zip = archive_bytes({{"x", "1"}, {"y", content}}, ArchiveKind::zip_stored);
  zip[zip.find(content)] = 'C';  // detected by the checksum
  put(file_, zip);
  auto changed = ArchiveReader::open(file_);
  EXPECT_THAT(all(*changed),
              ElementsAre("x=1", AllOf(StartsWith(file_.string() + ": y: "), HasSubstr("CRC"))));
}

TEST_F(ArchiveReaderTest, RejectsOtherFiles) {
  put(file_, "<html>not found</html>");
  EXPECT_EQ(ArchiveReader::open(file_).error().message,
            file_.string() + ": not a tar or zip archive");
  EXPECT_EQ(ArchiveReader::open(scratch_.path()).error().message,
            scratch_.path().string() + ": not a file");
  EXPECT_EQ(ArchiveReader::open("/nonexistent").error().code, ErrorCode::not_found);
}

TEST_F(ArchiveReaderTest, SurvivesMutations) {
  std::mt19937 random(1);
  const Entries entries = {{"x", "1"}, {"folder/y", std::string(600, '2')}, {"z", "->x"}};
  const Entries nested = {{"inner.tar", archive_bytes({{"x", "1"}}, ArchiveKind::tar)}};
  for (const auto kind : {ArchiveKind::tar, ArchiveKind::tar_gz, ArchiveKind::zip}) {
    const std::string whole = archive_bytes(entries, kind);
    for (int i = 0; i < 500; ++i) {
      put(file_, mutated(whole, random));
      auto reader = ArchiveReader::open(file_);
      if (reader.ok()) all(*reader);
    }
  }
  const std::string whole = archive_bytes(nested, ArchiveKind::tar);
  for (int i = 0; i < 500; ++i) {
    put(file_, mutated(whole, random));
    auto outer = ArchiveReader::open(file_);
    if (!outer.ok()) continue;
    const auto more = outer->next();
    if (!more.ok() || !*more) continue;
    auto inner = ArchiveReader::within(*outer);
    if (inner.ok()) all(*inner);
  }
}

TEST_F(ArchiveReaderTest, AnUnpackedFolderReadsLikeTheArchive) {
  const fs::path folder = scratch_.path() / "folder";
  put(folder / "b/y", "22");
  put(folder / "a", "1");
  auto reader = FolderReader::open(folder);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_THAT(all(*reader), ElementsAre("a=1", "b/y=22"));
  EXPECT_EQ(reader->progress().done, 2);
  EXPECT_EQ(reader->progress().total, 2);

  fs::create_symlink("/etc/passwd", folder / "c");
  auto with_link = FolderReader::open(folder);
  EXPECT_THAT(all(*with_link).back(), EndsWith("/c: neither a file nor a folder"));
  EXPECT_FALSE(FolderReader::open("/nonexistent").ok());
}

}  // namespace
}  // namespace tacho
