#include "serving/infer/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "serving/infer/cache_secrets.h"
#include "serving/infer/redis_address.h"

namespace tacho::infer {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

std::string error_message(const Words& words) {
  const auto options = parse_infer_options(words);
  return options.ok() ? "" : options.error().message;
}

TEST(InferOptions, AreParsedInAnyOrder) {
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

TEST(InferOptions, PublicAddressesNeedATokenOrOpen) {
  EXPECT_THAT(error_message({"--address", "0.0.0.0"}), HasSubstr("--token"));
  EXPECT_EQ(error_message({"--address", "0.0.0.0", "--token", "0123456789abcdef"}), "");
  EXPECT_THAT(error_message({"--token", "short"}), HasSubstr("16 or more"));
  EXPECT_THAT(error_message({"--open", "--token", "0123456789abcdef"}), HasSubstr("contradict"));
  EXPECT_THAT(error_message({"--open", "--token-file", "f"}), HasSubstr("contradict"));
  EXPECT_THAT(error_message({"--token-file", "f", "--token", "0123456789abcdef"}),
              HasSubstr("exclude each other"));
  EXPECT_EQ(error_message({"--address", "127.0.0.2"}), "");
}

TEST(InferOptions, TakeTheTokenFromAFileOrTheEnvironment) {
  const ScratchFolder folder;
  const std::string file = folder.path() / "token";
  ASSERT_TRUE(write_file_atomically(file, "0123456789abcdef\n").ok());
  EXPECT_EQ(parse_infer_options(Words{"--token-file", file})->token, "0123456789abcdef");
  ASSERT_EQ(::setenv("TACHO_TOKEN", "fedcba9876543210", 1), 0);
  EXPECT_EQ(parse_infer_options(Words{"--address", "0.0.0.0"})->token, "fedcba9876543210");
  EXPECT_EQ(parse_infer_options(Words{"--open"})->token, "");
  ASSERT_EQ(::unsetenv("TACHO_TOKEN"), 0);
}

TEST(InferOptions, ReportInvalidValues) {
  EXPECT_THAT(error_message({"--max-bach", "8"}), HasSubstr("--max-batch"));
  EXPECT_THAT(error_message({"--max-batch", "0"}),
              HasSubstr("--max-batch: '0' is not a number from 1"));
  EXPECT_THAT(error_message({"--port"}), HasSubstr("--port needs a N"));
  EXPECT_THAT(error_message({"--precision", "bf16"}), HasSubstr("--device cuda"));
  EXPECT_THAT(error_message({"--cache", "disk"}), HasSubstr("redis://HOST:PORT"));
}

TEST(RedisAddress, IsParsedFromAUrl) {
  const auto address = parse_redis_url("redis://cache.example:7000/3");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->text(), "cache.example:7000");
  EXPECT_EQ(address->database, 3);
  EXPECT_EQ(parse_redis_url("redis://[::1]")->text(), "[::1]:6379");
  for (const char* bad :
       {"redis://", "redis://:1", "redis://a:0", "redis://a:x", "redis://a/-1", "redis://u:%4@a",
        "redis://[::1", "rediss://u:p@", "http://a", "redis://a:70000"}) {
    EXPECT_FALSE(parse_redis_url(bad).ok()) << bad;
  }
}

TEST(RedisAddress, DoesNotShowTheAccount) {
  const auto address = parse_redis_url("rediss://me:a%40b%2Fc@cache.example:7000/3");
  ASSERT_TRUE(address.ok()) << address.error().message;
  EXPECT_TRUE(address->tls);
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->password, "a@b/c");
  EXPECT_EQ(address->text(), "cache.example:7000");
  EXPECT_EQ(address->database, 3);
  const auto without_user = parse_redis_url("redis://:secret@[::1]:1");
  EXPECT_FALSE(without_user->tls);
  EXPECT_EQ(without_user->user, "");
  EXPECT_EQ(without_user->password, "secret");
  EXPECT_EQ(without_user->host, "::1");
  EXPECT_THAT(parse_redis_url("redis://me:secret@").error().message,
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

TEST(InferOptions, OfClassifiersAreRefusedForLanguageModels) {
  for (const Words& words : {Words{"--compat", "fastapi"}, Words{"--cache", "redis://[::1]:7000"},
                             Words{"--device", "cuda", "--precision", "bf16"}}) {
    const auto options = *parse_infer_options(words);
    EXPECT_TRUE(check(options, InputKind::text).ok());
    EXPECT_THAT(check(options, InputKind::documents).error().message,
                HasSubstr("is not for language models; leave it out"));
  }
  EXPECT_TRUE(check(InferOptions{}, InputKind::documents).ok());
}

TEST(InferOptions, LanguageModelsHaveALongerDeadline) {
  EXPECT_EQ(deadline_of({}, InputKind::text), std::chrono::milliseconds(2000));
  EXPECT_EQ(deadline_of({}, InputKind::documents), std::chrono::milliseconds(60'000));
  EXPECT_EQ(deadline_of({.deadline_ms = 5}, InputKind::documents), std::chrono::milliseconds(5));
}

}  // namespace
}  // namespace tacho::infer
