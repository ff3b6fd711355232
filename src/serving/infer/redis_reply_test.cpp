#include "serving/infer/redis_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace tacho::infer {
namespace {

using Kind = RedisReply::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

RedisReply text(std::string content) { return {.kind = Kind::text, .text = std::move(content)}; }

std::vector<RedisReply> all_of(RedisReplyReader& reader) {
  std::vector<RedisReply> replies;
  while (true) {
    auto next = reader.next();
    EXPECT_TRUE(next.ok()) << next.error().message;
    if (!next.ok() || !*next) return replies;
    replies.push_back(**std::move(next));
  }
}

std::string error_message(std::string_view bytes) {
  RedisReplyReader reader;
  reader.feed(bytes);
  const auto next = reader.next();
  return next.ok() ? "" : next.error().message;
}

const std::string kAll =
    "+OK\r\n-ERR no\r\n:-7\r\n$5\r\na\r\nbc\r\n$-1\r\n*3\r\n$1\r\nx\r\n$-1\r\n-E\r\n*0\r\n*-1\r\n"
    "$0\r\n\r\n";

TEST(RedisReply, IsReadFromAnyPieces) {
  for (std::size_t piece = 1; piece <= kAll.size(); ++piece) {
    RedisReplyReader reader;
    std::vector<RedisReply> replies;
    for (std::size_t at = 0; at < kAll.size(); at += piece) {
      reader.feed(std::string_view(kAll).substr(at, piece));
      for (RedisReply& reply : all_of(reader)) replies.push_back(std::move(reply));
    }
    const RedisReply nothing;
    ASSERT_THAT(
        replies,
        ElementsAre(
            RedisReply{.kind = Kind::status, .text = "OK"},
            RedisReply{.kind = Kind::error, .text = "ERR no"},
            RedisReply{.kind = Kind::number, .number = -7}, text("a\r\nbc"), nothing,
            RedisReply{.kind = Kind::list,
                       .items = {text("x"), nothing, RedisReply{.kind = Kind::error, .text = "E"}}},
            RedisReply{.kind = Kind::list}, nothing, text("")))
        << piece;
  }
}

TEST(RedisReply, RejectsInvalidReplies) {
  EXPECT_THAT(error_message("HTTP/1.1 400 Bad Request\r\n"), HasSubstr("an unknown kind"));
  EXPECT_THAT(error_message("\r\n"), HasSubstr("an empty line"));
  EXPECT_THAT(error_message(":seven\r\n"), HasSubstr("not a number"));
  EXPECT_THAT(error_message("$3\r\nabcde"), HasSubstr("does not end where it should"));
  EXPECT_THAT(error_message("*1\r\n*1\r\n"), HasSubstr("a list within a list"));
}

// A claimed size allocates no memory before the bytes arrive.
TEST(RedisReply, RejectsRepliesThatAreTooLarge) {
  EXPECT_THAT(error_message("*2147483647\r\n"), HasSubstr("a list of '2147483647'"));
  EXPECT_THAT(error_message("$1048577\r\n"), HasSubstr("a text of '1048577' bytes"));
  EXPECT_THAT(error_message("$-2\r\n"), HasSubstr("a text of '-2' bytes"));
  EXPECT_THAT(error_message("*99999999999999999999\r\n"), HasSubstr("a list of"));
  EXPECT_THAT(error_message("+" + std::string(70'000, 'x')), HasSubstr("a line without an end"));
  EXPECT_EQ(error_message("*100000\r\n"), "");
}

TEST(RedisCommand, IsEncodedAsAListOfTexts) {
  const std::array<std::string_view, 2> words = {"GET", "a b\r\n"};
  EXPECT_EQ(redis_command(words), "*2\r\n$3\r\nGET\r\n$5\r\na b\r\n\r\n");
}

}  // namespace
}  // namespace tacho::infer
