#include "infer/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infer/redis_place.h"

namespace tacho::infer {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

std::string complaint(const Words& words) {
  const auto options = parse_infer_options(words);
  return options.ok() ? "" : options.error().message;
}

TEST(InferOptions, AreReadInAnyOrder) {
  const auto options = parse_infer_options(Words{"--max-batch", "8", "--cache=redis://[::1]:7000/2",
                                                 "--open", "--address", "0.0.0.0", "--host-name",
                                                 "a", "--host-name", "b", "--deadline-ms", "1.5"});
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->max_batch, 8U);
  EXPECT_EQ(options->cache, "redis://[::1]:7000/2");
  EXPECT_TRUE(options->open);
  EXPECT_EQ(options->host_names, (Words{"a", "b"}));
  EXPECT_EQ(options->port, 8500);
}

TEST(InferOptions, OthersNeedATokenOrAnOpenDoor) {
  EXPECT_THAT(complaint({"--address", "0.0.0.0"}), HasSubstr("--token"));
  EXPECT_EQ(complaint({"--address", "0.0.0.0", "--token", "0123456789abcdef"}), "");
  EXPECT_THAT(complaint({"--token", "short"}), HasSubstr("16 or more"));
  EXPECT_THAT(complaint({"--open", "--token", "0123456789abcdef"}), HasSubstr("contradict"));
  EXPECT_EQ(complaint({"--address", "127.0.0.2"}), "");
}

TEST(InferOptions, SayWhatMakesNoSense) {
  EXPECT_THAT(complaint({"--max-bach", "8"}), HasSubstr("--max-batch"));
  EXPECT_THAT(complaint({"--max-batch", "0"}),
              HasSubstr("--max-batch: '0' is not a number from 1"));
  EXPECT_THAT(complaint({"--port"}), HasSubstr("--port needs a N"));
  EXPECT_THAT(complaint({"--precision", "bf16"}), HasSubstr("--device cuda"));
  EXPECT_THAT(complaint({"--cache", "disk"}), HasSubstr("redis://HOST:PORT"));
}

TEST(RedisPlace, IsReadFromItsAddress) {
  const auto place = parse_redis_place("redis://cache.example:7000/3");
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place->text(), "cache.example:7000");
  EXPECT_EQ(place->database, 3);
  EXPECT_EQ(parse_redis_place("redis://[::1]")->text(), "[::1]:6379");
  for (const char* bad : {"redis://", "redis://:1", "redis://a:0", "redis://a:x", "redis://a/-1",
                          "redis://u@a", "redis://[::1", "http://a", "redis://a:70000"}) {
    EXPECT_FALSE(parse_redis_place(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace tacho::infer
