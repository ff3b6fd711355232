#include "machine/comm/line_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LineBuffer, ReturnsTheSameLinesWhereverTheBytesAreSplit) {
  const std::string bytes = "one\n\nthree\nfour";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    LineBuffer buffer(10);
    std::vector<std::string> lines;
    EXPECT_TRUE(buffer.feed(std::string_view(bytes).substr(0, cut), lines));
    EXPECT_TRUE(buffer.feed(std::string_view(bytes).substr(cut), lines));
    EXPECT_THAT(lines, ElementsAre("one", "", "three")) << "cut at " << cut;
  }
}

TEST(LineBuffer, ALineOverTheLimitInvalidatesAllThatFollows) {
  LineBuffer buffer(4);
  std::vector<std::string> lines;
  EXPECT_TRUE(buffer.feed("1234\n", lines));
  EXPECT_FALSE(buffer.feed("12345", lines));
  EXPECT_FALSE(buffer.feed("\n1\n", lines));
  EXPECT_THAT(lines, ElementsAre("1234"));
}

TEST(LineBuffer, ALineOverTheLimitIsDetectedBeforeItsEnd) {
  LineBuffer buffer(4);
  std::vector<std::string> lines;
  EXPECT_TRUE(buffer.feed("123", lines));
  EXPECT_FALSE(buffer.feed("45", lines));
  EXPECT_THAT(lines, IsEmpty());
}

}  // namespace
}  // namespace tacho
