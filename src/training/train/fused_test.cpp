// Compares the CPU's fused loops with torch's operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/train/dropout.h"
#include "training/train/linear_relu.h"

namespace tacho {
namespace {

TEST(LinearRelu, EqualsTorchsLinearAndReluWithAllGradients) {
  torch::manual_seed(1);
  torch::nn::Linear linear(7, 5);
  const at::Tensor weights = at::randn({9, 5});
  const auto gradients = [&](bool fused) {
    linear->zero_grad();
    const at::Tensor x = at::arange(63, at::kFloat).view({9, 7}).sin().set_requires_grad(true);
    const at::Tensor out = fused ? linear_relu(x, linear) : torch::relu(linear->forward(x));
    (out * weights).sum().backward();
    return std::vector<at::Tensor>{out.detach(), x.grad().clone(), linear->weight.grad().clone(),
                                   linear->bias.grad().clone()};
  };
  const auto ours = gradients(true);
  const auto theirs = gradients(false);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-5, 1e-6)) << i;
  }
}

TEST(LinearRelu, KeepsNaN) {
  torch::nn::Linear linear(2, 2);
  const at::Tensor x = at::full({1, 2}, std::nan(""));
  EXPECT_TRUE(at::isnan(linear_relu(x, linear)).all().item<bool>());
}

TEST(Dropout, DropsItsShareAndKeepsTheMean) {
  torch::manual_seed(3);
  const at::Tensor out = tacho::dropout(at::ones({1000, 1000}), 0.25, true);
  const double dropped = (out == 0).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(dropped, 0.25, 0.002);  // 4.6 standard deviations of a million draws
  EXPECT_NEAR(out.mean().item<double>(), 1, 0.003);
  EXPECT_FLOAT_EQ(out.max().item<float>(), 1 / 0.75F);
  // Neither rows nor columns are biased.
  EXPECT_LT((out.mean(0) - 1).abs().max().item<double>(), 0.1);
  EXPECT_LT((out.mean(1) - 1).abs().max().item<double>(), 0.1);
}

TEST(Dropout, TheGradientUsesTheSameMask) {
  torch::manual_seed(4);
  const at::Tensor x = at::ones({100000}).set_requires_grad(true);
  const at::Tensor out = tacho::dropout(x, 0.5, true);
  out.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), out.detach()));
}

TEST(Dropout, TheSeedDecidesAndEveryCallDiffers) {
  const auto two = [] {
    torch::manual_seed(5);
    const at::Tensor x = at::ones({1000});
    return std::pair(tacho::dropout(x, 0.5, true), tacho::dropout(x, 0.5, true));
  };
  const auto [first, second] = two();
  const auto [again, again_second] = two();
  EXPECT_FALSE(at::equal(first, second));
  EXPECT_TRUE(at::equal(first, again));
  EXPECT_TRUE(at::equal(second, again_second));
}

TEST(Dropout, DoesNothingWhenEvaluating) {
  const at::Tensor x = at::ones({10});
  EXPECT_TRUE(at::equal(tacho::dropout(x, 0.5, false), x));
}

}  // namespace
}  // namespace tacho
