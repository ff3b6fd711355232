#include "machine/probe/proc_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ValueOf, FindsTheFirstLineWithExactlyThatKey) {
  constexpr std::string_view kText =
      "model\t\t: 143\nmodel name\t: Xeon: the one\nmodel name\t: other\nflags\t\t:\n";
  EXPECT_EQ(value_of(kText, "model"), "143");
  EXPECT_EQ(value_of(kText, "model name"), "Xeon: the one");
  EXPECT_EQ(value_of(kText, "flags"), "");
  EXPECT_EQ(value_of(kText, "name"), "");
  EXPECT_EQ(value_of("NAME=a\nPRETTY_NAME=b", "PRETTY_NAME", '='), "b");
}

TEST(LeadingNumber, StopsAfterTheDigits) {
  EXPECT_EQ(leading_number("16384 kB"), 16384);
  EXPECT_EQ(leading_number("-1"), -1);
  EXPECT_EQ(leading_number("max"), std::nullopt);
  EXPECT_EQ(leading_number("99999999999999999999"), std::nullopt);
  EXPECT_EQ(leading_number(""), std::nullopt);
}

TEST(NumberedEntries, AreTheProcessesOfProc) {
  const ScratchFolder folder;
  for (const char* name : {"12", "3", "self", "4x", "net"}) {
    ASSERT_TRUE(make_folders(folder.path() / name).ok());
  }
  EXPECT_THAT(numbered_entries(folder.path()), ElementsAre(3, 12));
  EXPECT_THAT(numbered_entries("/nonexistent"), IsEmpty());
}

TEST(ReadAgain, ReturnsTheError) {
  std::string text = "before";
  EXPECT_EQ(read_again("/nonexistent", text), ENOENT);
  EXPECT_EQ(text, "");
  EXPECT_EQ(read_again("/proc/self/stat", text), 0);
  EXPECT_GT(text.size(), 50U);
}

TEST(ReadText, AMissingFileIsEmpty) {
  EXPECT_EQ(read_text("/nonexistent"), "");
  EXPECT_THAT(entries("/nonexistent"), IsEmpty());
}

}  // namespace
}  // namespace tacho
