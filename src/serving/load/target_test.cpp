#include "serving/load/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"

namespace tacho::load {
namespace {

using testing::HasSubstr;

TEST(Target, IsParsedFromAUrl) {
  const auto full = parse_target_url("http://localhost:8500/predict?x=1");
  ASSERT_TRUE(full.ok()) << full.error().message;
  EXPECT_EQ(full->host, "localhost");
  EXPECT_EQ(full->port, 8500);
  EXPECT_EQ(full->path, "/predict?x=1");
  EXPECT_EQ(full->url(), "http://localhost:8500/predict?x=1");
  const auto v6 = parse_target_url("http://[::1]:80");
  ASSERT_TRUE(v6.ok()) << v6.error().message;
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->authority(), "[::1]:80");
  EXPECT_EQ(v6->path, "");
  EXPECT_EQ(parse_target_url("http://a?b")->path, "/?b");
}

TEST(Target, ReportsInvalidUrls) {
  const auto error_of = [](std::string_view url) { return parse_target_url(url).error().message; };
  EXPECT_THAT(error_of("localhost:8500"), HasSubstr("begins with http://"));
  EXPECT_THAT(error_of("https://a/"), HasSubstr("https is not supported"));
  EXPECT_THAT(error_of("http:///x"), HasSubstr("no host"));
  EXPECT_THAT(error_of("http://a:0/"), HasSubstr("port"));
  EXPECT_THAT(error_of("http://a:70000/"), HasSubstr("port"));
  EXPECT_THAT(error_of("http://a:8x/"), HasSubstr("port"));
  EXPECT_THAT(error_of("http://[::1/"), HasSubstr("no ]"));
  EXPECT_THAT(error_of("http://a/b c"), HasSubstr("%20"));
  EXPECT_THAT(error_of("http://a/\r\nHost: b"), HasSubstr("%20"));
  EXPECT_THAT(error_of("http://me:secret@a/"), HasSubstr("--token"));
}

TEST(Target, OfADamagedUrlHasNoLineBreak) {
  Random random(2, 0);
  for (int i = 0; i < 3000; ++i) {
    const auto target = parse_target_url(mutated("http://[::1]:8500/predict?a=b", random));
    if (target.ok()) {
      EXPECT_EQ(target->url().find_first_of("\r\n "), std::string::npos);
    }
  }
}

TEST(Target, ReportsAMissingServerInOneSentence) {
  const auto found = find_server({.host = "127.0.0.1", .port = 1});
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, HasSubstr("cannot connect to 127.0.0.1:1: "));
}

}  // namespace
}  // namespace tacho::load
