#include "base/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace tacho {
namespace {

constexpr std::array<std::string_view, 4> kModels = {"lenet5", "lstm", "mlp", "mnist-cnn"};

TEST(Nearest, FindsTypingErrorsAndShortenedNames) {
  EXPECT_EQ(nearest("lenet", kModels), "lenet5");
  EXPECT_EQ(nearest("mnist_cnn", kModels), "mnist-cnn");
  EXPECT_EQ(nearest("mnist", kModels), "mnist-cnn");
}

TEST(Nearest, StaysSilentWhenNothingIsClose) {
  EXPECT_EQ(nearest("transformer", kModels), "");
  EXPECT_EQ(nearest("", kModels), "");
}

TEST(Nearest, SaysWhatIsKnown) {
  EXPECT_EQ(unknown_name("model", "lstn", kModels),
            "unknown model 'lstn'; did you mean 'lstm'? (known: lenet5, lstm, mlp, mnist-cnn)");
}

TEST(Nearest, AHugeWordIsNotSpelledOutInFull) {
  const std::string huge(1'000'000, 'x');
  EXPECT_EQ(nearest(huge, kModels), "");
  EXPECT_LT(unknown_name("model", huge, kModels).size(), 300U);
}

}  // namespace
}  // namespace tacho
