#include "cli/train_options.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacho {
namespace {

Result<TrainRequest> read(const std::vector<std::string>& words) { return read_train_words(words); }

TEST(TrainWords, MakeTheSpecThatTheCommandMakes) {
  const auto asked = read({"mnist-cnn", "--data", "synthetic", "-b", "32", "--lr", "0.2"});
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->spec.model, "mnist-cnn");
  EXPECT_EQ(asked->spec.batch, 32);
  EXPECT_EQ(asked->spec.optimizer.learning_rate, 0.2);
}

TEST(TrainWords, TheLastOfTwoCounts) {
  const auto asked = read({"mnist-cnn", "--data", "synthetic", "--no-dropout", "-b", "32",
                           "--batch=64", "--stock=true", "--no-dropout=false"});
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->spec.batch, 64);
  EXPECT_TRUE(asked->spec.stock);
  EXPECT_TRUE(asked->spec.dropout);
}

TEST(TrainWords, AreRefusedIfTheyAreWrong) {
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"mnist-cn", "--data", "synthetic"},
      {"mnist-cnn", "--data", "synthetic", "--bacth=3"},
      {"mnist-cnn", "--data", "synthetic", "--batch=many"},
      {"mnist-cnn", "--data", "synthetic", "--batch=-3"},
      {"mnist-cnn", "--data", "synthetic", "--json"},
      {"--resume=3"}};
  for (const auto& words : wrong) {
    const auto asked = read(words);
    ASSERT_FALSE(asked.ok());
    EXPECT_EQ(asked.error().code, ErrorCode::usage) << asked.error().message;
  }
}

}  // namespace
}  // namespace tacho
