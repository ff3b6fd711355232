#include "serving/http/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"

namespace tacho::http {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(Url, SplitsAnAddress) {
  const auto target = parse_target("/a%2Fb/c%20d?x=1+2&y=%3C&x=3&flag&=z#part");
  ASSERT_TRUE(target.ok());
  EXPECT_THAT(target->segments, ElementsAre("a/b", "c d"));
  EXPECT_THAT(target->query, ElementsAre(Pair("x", "1 2"), Pair("y", "<"), Pair("x", "3"),
                                         Pair("flag", ""), Pair("", "z")));
  EXPECT_THAT(parse_target("/")->segments, IsEmpty());
  EXPECT_THAT(parse_target("/a/")->segments, ElementsAre("a", ""));
  EXPECT_THAT(parse_target("/a?")->query, IsEmpty());
}

TEST(Url, KeepsDotSegments) {
  EXPECT_THAT(parse_target("/../%2e%2e/etc")->segments, ElementsAre("..", "..", "etc"));
}

TEST(Url, RejectsInvalidAddresses) {
  for (const std::string_view bad : {"", "a", "*", "http://x/", "/%", "/%4", "/%zz", "/a b",
                                     "/\x01", "/%00", "/?a=%0", "/?%00=1"}) {
    EXPECT_FALSE(parse_target(bad).ok()) << bad;
  }
}

TEST(Url, DecodesWhatWasEncoded) {
  std::string every;
  for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
  EXPECT_EQ(*percent_decoded(percent_encoded(every), false), every);
  EXPECT_EQ(percent_encoded("a-b c/ü"), "a-b%20c%2F%C3%BC");
}

TEST(Url, SurvivesAnyBytes) {
  Random random = Random::scattered(1);
  for (int i = 0; i < 20000; ++i) {
    const auto target = parse_target(mutated("/api/v1/runs/%41?where=top1%3E0.5&sort=a+b", random));
    EXPECT_TRUE(target.ok() || !target.error().message.empty());
  }
}

}  // namespace
}  // namespace tacho::http
