#include "infer/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "infer/cache_secrets.h"
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
  for (const char* bad :
       {"redis://", "redis://:1", "redis://a:0", "redis://a:x", "redis://a/-1", "redis://u:%4@a",
        "redis://[::1", "rediss://u:p@", "http://a", "redis://a:70000"}) {
    EXPECT_FALSE(parse_redis_place(bad).ok()) << bad;
  }
}

TEST(RedisPlace, HasAnAccountThatIsNotShown) {
  const auto place = parse_redis_place("rediss://me:a%40b%2Fc@cache.example:7000/3");
  ASSERT_TRUE(place.ok()) << place.error().message;
  EXPECT_TRUE(place->tls);
  EXPECT_EQ(place->user, "me");
  EXPECT_EQ(place->password, "a@b/c");
  EXPECT_EQ(place->text(), "cache.example:7000");
  EXPECT_EQ(place->database, 3);
  const auto without_user = parse_redis_place("redis://:secret@[::1]:1");
  EXPECT_FALSE(without_user->tls);
  EXPECT_EQ(without_user->user, "");
  EXPECT_EQ(without_user->password, "secret");
  EXPECT_EQ(without_user->host, "::1");
  EXPECT_THAT(parse_redis_place("redis://me:secret@").error().message,
              testing::Not(HasSubstr("secret")));
}

TEST(CacheSecrets, ComeFromAFileOrTheEnvironment) {
  const ScratchFolder folder;
  const std::string file = folder.path() / "password";
  ASSERT_TRUE(write_file_atomically(file, "from a file\n").ok());
  ASSERT_EQ(::setenv("TACHO_REDIS_PASSWORD", "from the environment", 1), 0);
  EXPECT_EQ(read_cache_secrets({})->password, "from the environment");
  EXPECT_EQ(read_cache_secrets({.cache_password_file = file})->password, "from a file");
  ASSERT_EQ(::unsetenv("TACHO_REDIS_PASSWORD"), 0);
  EXPECT_EQ(read_cache_secrets({.cache_secret_file = file})->password, "");
  EXPECT_EQ(read_cache_secrets({.cache_secret_file = file})->signing, "from a file");
  ASSERT_TRUE(write_file_atomically(file, "\n").ok());
  EXPECT_THAT(read_cache_secrets({.cache_secret_file = file}).error().message,
              HasSubstr("is empty"));
  EXPECT_FALSE(read_cache_secrets({.cache_password_file = file + "-not"}).ok());
}

}  // namespace
}  // namespace tacho::infer
