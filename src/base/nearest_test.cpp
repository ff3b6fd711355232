#include "base/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tacho {
namespace {

constexpr std::array<std::string_view, 4> kModels = {"lenet5", "lstm", "mlp", "mnist-cnn"};

TEST(Nearest, FindsTypingErrorsAndShortenedNames) {
  EXPECT_EQ(nearest("lenet", kModels), "lenet5");
  EXPECT_EQ(nearest("mnist_cnn", kModels), "mnist-cnn");
  EXPECT_EQ(nearest("mnist", kModels), "mnist-cnn");
  EXPECT_EQ(nearest("lstm256", kModels), "lstm");
}

TEST(Nearest, CountsSwappedLettersOnceAndIgnoresCase) {
  EXPECT_EQ(nearest("mpl", kModels), "mlp");
  EXPECT_EQ(nearest("LeNet-5", kModels), "lenet5");
}

TEST(Nearest, KnowsTheWordsOfOtherPrograms) {
  constexpr std::array<std::string_view, 2> kDevices = {"cpu", "cuda"};
  EXPECT_EQ(nearest("gpu", kDevices), "cuda");
  EXPECT_EQ(nearest("NVIDIA", kDevices), "cuda");
  EXPECT_EQ(nearest("multi-gpu", kDevices), "cuda");
  constexpr std::array<std::string_view, 4> kPrecisions = {"fp32", "tf32", "bf16", "fp16"};
  EXPECT_EQ(nearest("half", kPrecisions), "fp16");
  EXPECT_EQ(nearest("float32", kPrecisions), "fp32");
  constexpr std::array<std::string_view, 3> kOptions = {"--lr", "--nproc", "--batch"};
  EXPECT_EQ(nearest("--learning-rate", kOptions), "--lr");
  EXPECT_EQ(nearest("--multi-gpu", kOptions), "--nproc");
  EXPECT_EQ(nearest("gpu", kModels), "");
}

TEST(Nearest, StaysSilentWhenNothingIsClose) {
  EXPECT_EQ(nearest("transformer", kModels), "");
  EXPECT_EQ(nearest("", kModels), "");
  constexpr std::array<std::string_view, 1> kColumns = {"top1"};
  EXPECT_EQ(nearest("nope", kColumns), "");
}

TEST(Nearest, ListsTheKnownNames) {
  EXPECT_EQ(unknown_name("model", "lstn", kModels),
            "unknown model 'lstn'; did you mean 'lstm'? (known: lenet5, lstm, mlp, mnist-cnn)");
}

TEST(Nearest, ListsTwentyNamesOfMany) {
  const std::vector<std::string_view> many(68, "name");
  EXPECT_TRUE(unknown_name("column", "x", many).ends_with("name, name and 48 more)"));
}

TEST(Nearest, AHugeWordIsCutInTheMessage) {
  const std::string huge(1'000'000, 'x');
  EXPECT_EQ(nearest(huge, kModels), "");
  EXPECT_LT(unknown_name("model", huge, kModels).size(), 300U);
}

}  // namespace
}  // namespace tacho
