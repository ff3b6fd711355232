#include "base/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

TEST(NamesASecret, DistinguishesSecretsFromTrainingTerms) {
  for (const char* name : {"--token", "--hf-token", "HF_TOKEN", "--password", "DB_PASSWORD",
                           "--api-key", "api_key", "WANDB_API_KEY", "OPENAI_KEY", "MY_SECRET",
                           "secretName.value.secret", "--auth", "db.password", "aws_secret_x"}) {
    EXPECT_TRUE(names_a_secret(name)) << name;
  }
  for (const char* name : {"--tokenizer", "--max-tokens", "--pad-token", "eos_token", "--sort-key",
                           "--key", "key", "--keys", "PWD", "KEY", "", "--", "author"}) {
    EXPECT_FALSE(names_a_secret(name)) << name;
  }
}

TEST(WithoutSecrets, MasksValuesOfOptionsAndVariables) {
  EXPECT_THAT(without_secrets(Words{"train", "--token", "abc", "--password=x y;z", "--lr", "0.1"}),
              ElementsAre("train", "--token", "***", "--password=***", "--lr", "0.1"));
  EXPECT_THAT(without_secrets(Words{"env", "HF_TOKEN=abc", "A=1", "python", "--token", "--json"}),
              ElementsAre("env", "HF_TOKEN=***", "A=1", "python", "--token", "--json"));
  EXPECT_THAT(without_secrets(Words{"--token"}), ElementsAre("--token"));
  EXPECT_THAT(without_secrets(Words{"--token="}), ElementsAre("--token="));
}

TEST(WithoutSecrets, LooksIntoScriptsUrlsAndJson) {
  EXPECT_EQ(without_secrets("export API_KEY=abc; python t.py --token xyz --lr 1"),
            "export API_KEY=***; python t.py --token *** --lr 1");
  EXPECT_EQ(without_secrets("API_KEY='a b' run"), "API_KEY=*** run");
  EXPECT_EQ(without_secrets("https://me:pass@host/a@b"), "https://***@host/a@b");
  EXPECT_EQ(without_secrets("https://host/a?token=abc&x=1"), "https://host/a?token=***&x=1");
  EXPECT_EQ(without_secrets(R"({"api_key": "abc", "lr": 1})"), R"({"api_key": ***, "lr": 1})");
  EXPECT_EQ(without_secrets("{command: [sh, --token, abc, --lr, 1]}"),
            "{command: [sh, --token, ***, --lr, 1]}");
  EXPECT_EQ(without_secrets(R"(["--token", "abc", "--x"])"), R"(["--token", "***", "--x"])");
  EXPECT_EQ(without_secrets("password: abc\nlr: 1"), "password: ***\nlr: 1");
  EXPECT_EQ(without_secrets("run --token --json"), "run --token --json");
  EXPECT_EQ(without_secrets("Authorization: Bearer abc.def"), "Authorization:***");
}

TEST(WithoutSecrets, LeavesOtherTextUnchanged) {
  for (const char* text :
       {"", "a = b", "--lr=0.1", "x://y", "://", "token", "\"token\":", "=", "é"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

// An argument may be megabytes long.
TEST(WithoutSecrets, TakesLinearTime) {
  for (const char c : {'a', '=', '-', ':', '@', '"'}) {
    EXPECT_EQ(without_secrets(std::string(1 << 16, c)).size(), std::size_t{1} << 16) << c;
  }
}

}  // namespace
}  // namespace tacho
