#include "core/record/run_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class RunEditsTest : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(folder_.edits()) << text; }
  std::string refused() { return read_edits(folder_).error().message; }

  ScratchFolder scratch_;
  RunFolder folder_{scratch_.path()};
};

TEST_F(RunEditsTest, ReadsWhatItWrites) {
  EXPECT_EQ(*read_edits(folder_), std::nullopt);
  const RunEdits edits{.name = "base", .tags = {{"a", "b c"}}, .notes = "1\n2", .archived = true};
  ASSERT_TRUE(write_edits(folder_, edits).ok());
  EXPECT_EQ(*read_edits(folder_), edits);
}

TEST_F(RunEditsTest, AnEmptyListOfTagsIsAnEdit) {
  ASSERT_TRUE(write_edits(folder_, {.tags = {std::vector<std::string>()}}).ok());
  EXPECT_TRUE((*read_edits(folder_))->tags);
}

TEST_F(RunEditsTest, RefusesWhatListsCannotShow) {
  EXPECT_TRUE(check({.name = std::string(200, 'x')}).ok());
  EXPECT_EQ(check({.name = std::string(201, 'x')}).error().message,
            "a name must be one line of at most 200 bytes");
  EXPECT_FALSE(check({.project = "a\nb"}).ok());
  EXPECT_FALSE(check({.tags = {{""}}}).ok());
  EXPECT_FALSE(check({.tags = {{"a,b"}}}).ok());
  EXPECT_FALSE(check({.tags = std::vector<std::string>(51, "x")}).ok());
  EXPECT_FALSE(check({.notes = std::string((64 << 10) + 1, 'x')}).ok());
}

TEST_F(RunEditsTest, TagsOfProgramsAreMadeFitForLists) {
  const auto tags = tags_of({"first, second", "a\nb", "", std::string(199, 'x') + "é"});
  EXPECT_THAT(tags, testing::ElementsAre("first  second", "a b", std::string(199, 'x')));
  EXPECT_TRUE(check({.tags = tags}).ok());
  EXPECT_TRUE(check({.tags = tags_of(std::vector<std::string>(60, "x"))}).ok());
}

TEST_F(RunEditsTest, RefusesFilesThatItWouldNotWrite) {
  write("{\"archived\": 1}");
  EXPECT_THAT(refused(), HasSubstr("archived"));
  write("{\"title\": \"x\"}");
  EXPECT_THAT(refused(), HasSubstr("title"));
  write("{\"name\": \"a\\u001bb\"}");
  EXPECT_THAT(refused(), HasSubstr("edits.json: a name must be one line"));
  std::filesystem::remove(folder_.edits());
  std::filesystem::create_symlink("/etc/hostname", folder_.edits());
  EXPECT_THAT(refused(), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace tacho
