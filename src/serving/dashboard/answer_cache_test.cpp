#include "serving/dashboard/answer_cache.h"

#include <gtest/gtest.h>

namespace tacho::serve {
namespace {

TEST(AnswerCache, ComputesAnAnswerOncePerState) {
  AnswerCache cache(10000);
  int made = 0;
  const auto ask = [&](const std::string& key, std::int64_t state) {
    return *cache.get(
        key, state, [&]() -> Answer { return text_answer(std::to_string(++made), "text/plain"); });
  };
  EXPECT_EQ(ask("a", 1).body, "1");
  EXPECT_EQ(ask("a", 1).body, "1");
  EXPECT_EQ(ask("b", 1).body, "2");
  EXPECT_EQ(ask("a", 2).body, "3");
  EXPECT_EQ(ask("a", 2).body, "3");
}

TEST(AnswerCache, EvictsTheLeastRecentlyUsed) {
  AnswerCache cache(100'000);
  int made = 0;
  const auto ask = [&](const std::string& key) {
    (void)cache.get(key, 1, [&]() -> Answer {
      ++made;
      return text_answer(std::string(24'000, 'x'), "text/plain");
    });
  };
  for (const char* key : {"a", "b", "c", "d"}) ask(key);
  ask("a");
  ask("e");  // evicts b
  EXPECT_EQ(made, 5);
  ask("a");
  EXPECT_EQ(made, 5);
  ask("b");
  EXPECT_EQ(made, 6);
}

TEST(AnswerCache, StaysWithinTheLimitWithManySmallAnswers) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  AnswerCache cache(kMaxBytes);
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = std::to_string(i) + std::string(1000, 'k');
    (void)cache.get(key, 1, [&]() -> Answer { return text_answer("{}", "application/json"); });
    ASSERT_LE(cache.bytes(), kMaxBytes);
  }
  EXPECT_GT(cache.bytes(), kMaxBytes / 2);
}

TEST(AnswerCache, DoesNotCacheLongKeys) {
  AnswerCache cache(1 << 20);
  const auto made = []() -> Answer { return text_answer("{}", "application/json"); };
  (void)cache.get(std::string(10'000, 'k'), 1, made);
  EXPECT_EQ(cache.bytes(), 0U);
  (void)cache.get("k", 1, made);
  EXPECT_GT(cache.bytes(), 200U);  // far more than its key and body
}

TEST(AnswerCache, DropsAllAnswersOfAnOldState) {
  AnswerCache cache(1 << 20);
  const auto made = []() -> Answer { return text_answer("{}", "application/json"); };
  (void)cache.get("a", 1, made);
  const std::size_t one = cache.bytes();
  for (const char* key : {"b", "c", "d"}) (void)cache.get(key, 1, made);
  EXPECT_EQ(cache.bytes(), 4 * one);
  (void)cache.get("a", 2, made);
  EXPECT_EQ(cache.bytes(), one);
}

TEST(AnswerCache, DoesNotCacheErrors) {
  AnswerCache cache(1000);
  int made = 0;
  for (int i = 0; i < 2; ++i) {
    (void)cache.get("a", 1, [&]() -> Answer {
      ++made;
      return Error{ErrorCode::io, "no"};
    });
  }
  EXPECT_EQ(made, 2);
}

TEST(AnswerCache, DifferentRequestsHaveDifferentKeys) {
  http::Request one;
  one.segments = {"a", "b"};
  http::Request other;
  other.segments = {"a"};
  other.query = {{"b", ""}};
  EXPECT_NE(cache_key(one), cache_key(other));
}

}  // namespace
}  // namespace tacho::serve
