#include "tracing/listen/output_lines.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(OutputLines, MaySpanSeveralReads) {
  OutputLines lines;
  EXPECT_TRUE(lines.feed("lo").empty());
  EXPECT_TRUE(lines.feed("ss=1").empty());
  const auto seen = lines.feed(".5\rloss=2\nloss=");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].values.at("loss"), 1.5);
  EXPECT_EQ(seen[1].values.at("loss"), 2);
  EXPECT_TRUE(lines.feed("3").empty());
  const auto last = lines.finish();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].values.at("loss"), 3);
}

TEST(OutputLines, ThatNeverEndUseNoMemory) {
  OutputLines lines;
  const std::string piece(1 << 16, 'x');
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(lines.feed(piece).empty());
  EXPECT_TRUE(lines.feed(" loss=1\n").empty());
  EXPECT_EQ(lines.feed("loss=2\n").size(), 1U);
}

}  // namespace
}  // namespace tacho
