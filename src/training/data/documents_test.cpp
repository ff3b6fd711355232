#include "training/data/documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Folder {
  ScratchFolder folder;
  [[nodiscard]] std::filesystem::path add(const char* name, std::string_view content) const {
    EXPECT_TRUE(write_file_atomically(folder.path() / name, content).ok());
    return folder.path() / name;
  }
};

std::vector<std::string> names(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.filename().string());
  return names;
}

TEST(TextFiles, AreFoundByTheirNames) {
  const Folder made;
  for (const char* name : {"train-2.txt", "train-1.jsonl", "valid.txt.gz", "readme.rst"}) {
    (void)made.add(name, "x");
  }
  const auto files = find_text_files(made.folder.path());
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(names(files->train), ElementsAre("train-1.jsonl", "train-2.txt"));
  EXPECT_THAT(names(files->eval), ElementsAre("valid.txt.gz"));
  EXPECT_THAT(names(find_text_files(made.folder.path() / "readme.rst")->train),
              ElementsAre("readme.rst"));
}

TEST(TextFiles, WithoutAnyAreAnError) {
  const Folder made;
  EXPECT_THAT(find_text_files(made.folder.path()).error().message,
              HasSubstr("contains no .txt, .md or .jsonl file"));
  EXPECT_EQ(find_text_files(made.folder.path() / "absent").error().code, ErrorCode::not_found);
  // Only files for evaluation: there must be something to train on.
  EXPECT_THAT(names(find_text_files(made.add("test.txt", "x").parent_path())->train),
              ElementsAre("test.txt"));
}

std::vector<std::string> read(const std::filesystem::path& file, std::string& problem) {
  std::vector<std::string> documents;
  const auto done = read_documents(file, [&](const Document& document) -> Result<void> {
    documents.push_back(std::string(document.prompt) + std::string(document.text));
    return {};
  });
  problem = done.ok() ? "" : done.error().message;
  return documents;
}

TEST(Documents, AreWholeFilesOrLines) {
  const Folder made;
  std::string problem;
  EXPECT_THAT(read(made.add("a.txt", "one\ntwo\n"), problem), ElementsAre("one\ntwo\n"));
  EXPECT_THAT(read(made.add("a.jsonl", "{\"text\": \"one\\ntwo\"}\n\n{\"id\": 1, \"text\": \"ñ\"}"),
                   problem),
              ElementsAre("one\ntwo", "ñ"));
  EXPECT_EQ(problem, "");
  EXPECT_THAT(read(made.add("empty.txt", ""), problem), ElementsAre());
  EXPECT_EQ(problem, "");
}

TEST(Documents, MayBeginWithAPrompt) {
  const Folder made;
  std::vector<std::pair<std::string, std::string>> found;
  const auto file = made.add("a.jsonl",
                             "{\"prompt\": \"2 + 2 =\", \"completion\": \" 4\"}\n"
                             "{\"prompt\": \"\", \"completion\": \"\"}\n"
                             "{\"text\": \"4\"}\n{\"prompt\": \"2\"}\n");
  const auto done = read_documents(file, [&](const Document& document) -> Result<void> {
    found.emplace_back(document.prompt, document.text);
    return {};
  });
  EXPECT_THAT(found, ElementsAre(testing::Pair("2 + 2 =", " 4"), testing::Pair("", "4")));
  EXPECT_THAT(done.error().message, HasSubstr("a.jsonl: line 4: expected an object"));
}

// Longer than the pieces in which a file is read.
TEST(Documents, ALineMayBeLong) {
  const Folder made;
  const std::string text(3 << 20, 'x');
  std::string problem;
  EXPECT_THAT(
      read(made.add("a.jsonl", "{\"text\": \"" + text + "\"}\n{\"text\": \"y\"}\n"), problem),
      ElementsAre(text, "y"));
  EXPECT_EQ(problem, "");
}

TEST(Documents, AnErrorNamesTheLine) {
  const Folder made;
  std::string problem;
  EXPECT_THAT(read(made.add("a.jsonl", "{\"text\": \"one\"}\n{\"texts\": \"two\"}\n"), problem),
              ElementsAre("one"));
  EXPECT_THAT(problem, HasSubstr("a.jsonl: line 2: expected an object with a string \"text\""));
  EXPECT_THAT(read(made.add("b.txt", "\xff"), problem), ElementsAre());
  EXPECT_THAT(problem, HasSubstr("b.txt: not UTF-8"));
}

}  // namespace
}  // namespace tacho
