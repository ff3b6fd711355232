#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/test_on_gpu.h"

namespace tacho::fused {
namespace {

class FusedNorms : public OnGpu {};

struct NormCase {
  bool relu;
  bool residual;
};

TEST_P(FusedNorms, BatchNormEqualsTorchs) {
  for (const auto& [relu, with_residual] :
       {NormCase{true, false}, {false, false}, {true, true}, {false, true}}) {
    for (const std::int64_t channels : {8, 64, 96, 512}) {
      torch::nn::BatchNorm2d ours(channels);
      torch::nn::BatchNorm2d theirs(channels);
      ours->to(at::kCUDA);
      theirs->to(at::kCUDA);
      {
        const torch::NoGradGuard no_grad;
        ours->weight.uniform_(0.5, 1.5);
        ours->bias.uniform_(-0.5, 0.5);
        theirs->weight.copy_(ours->weight);
        theirs->bias.copy_(ours->bias);
      }
      const at::Tensor x = image({6, channels, 9, 7});
      const at::Tensor other = with_residual ? image({6, channels, 9, 7}) : at::Tensor();
      const at::Tensor weights = at::randn(x.sizes(), kOnGpu);
      const at::Tensor y = batch_norm_act(x, *ours, relu, other);
      ASSERT_TRUE(y.defined());
      (y.to(at::kFloat) * weights).sum().backward();
      const at::Tensor dx = x.grad().clone();
      const at::Tensor dother = with_residual ? other.grad().clone() : at::Tensor();
      x.mutable_grad().reset();
      if (with_residual) other.mutable_grad().reset();

      const at::Tensor wide = x.to(at::kFloat);
      at::Tensor expected = theirs->forward(wide);
      if (with_residual) expected = expected + other.to(at::kFloat);
      if (relu) expected = at::relu(expected);
      (expected * weights).sum().backward();
      EXPECT_LT(difference(y, expected), allowed()) << channels << relu << with_residual;
      EXPECT_LT(difference(dx, x.grad()), 3 * allowed()) << channels << relu << with_residual;
      if (with_residual) {
        EXPECT_LT(difference(dother, other.grad()), 3 * allowed());
      }
      EXPECT_LT(difference(ours->weight.grad(), theirs->weight.grad()), 3 * allowed());
      EXPECT_LT(difference(ours->bias.grad(), theirs->bias.grad()), 3 * allowed());
      EXPECT_LT(difference(ours->running_mean, theirs->running_mean), 1e-5);
      EXPECT_LT(difference(ours->running_var, theirs->running_var), 1e-5);
    }
  }
}

// Both outputs used, or only one of them: the gradient is the sum in each case.
TEST_P(FusedNorms, TwoReadersOfANormEqualOne) {
  for (const std::vector<double>& weights : {std::vector<double>{1, 2}, {1, 0}, {0, 2}}) {
    torch::nn::BatchNorm2d norm(96);
    torch::nn::BatchNorm2d same(96);
    norm->to(at::kCUDA);
    same->to(at::kCUDA);
    const at::Tensor x = image({5, 96, 7, 11});
    const at::Tensor other = image({5, 96, 7, 11});
    const at::Tensor to_first = at::randn(x.sizes(), kOnGpu);
    const at::Tensor to_second = at::randn(x.sizes(), kOnGpu);
    const auto gradients = [&](const at::Tensor& first, const at::Tensor& second) {
      at::Tensor loss = at::zeros({}, kOnGpu);
      if (weights[0] > 0) loss = loss + (first.to(at::kFloat) * to_first).sum();
      if (weights[1] > 0) loss = loss + (second.to(at::kFloat) * to_second).sum();
      loss.backward();
      const auto both = std::pair(x.grad().clone(), other.grad().clone());
      x.mutable_grad().reset();
      other.mutable_grad().reset();
      return both;
    };
    const TwoReaders two = norm_add_relu_for_two(x, *norm, other);
    ASSERT_TRUE(two.first.defined());
    EXPECT_EQ(two.first.data_ptr(), two.second.data_ptr());
    const auto [dx, dother] = gradients(two.first, two.second);
    const at::Tensor one = at::relu(same->forward(x.to(at::kFloat)) + other.to(at::kFloat));
    const auto [expected_dx, expected_dother] = gradients(one, one);
    EXPECT_LT(difference(two.first, one), allowed());
    EXPECT_LT(difference(dx, expected_dx), 3 * allowed());
    EXPECT_LT(difference(dother, expected_dother), allowed());
    EXPECT_LT(difference(norm->weight.grad(), same->weight.grad()), 3 * allowed());
  }
}

TEST_P(FusedNorms, AddNormEqualsTorchs) {
  for (const std::int64_t width : {64, 384, 768, 1024}) {
    torch::nn::LayerNorm norm(torch::nn::LayerNormOptions({width}).eps(1e-12));
    norm->to(at::kCUDA);
    {
      const torch::NoGradGuard no_grad;
      norm->weight.uniform_(0.5, 1.5);
      norm->bias.uniform_(-0.5, 0.5);
    }
    norm->to(GetParam());
    const auto leaf = [&](at::IntArrayRef size) {
      return at::randn(size, kOnGpu).to(GetParam()).set_requires_grad(true);
    };
    const at::Tensor x = leaf({5, 13, width});
    const at::Tensor bias = leaf({width});
    const at::Tensor residual = leaf({13, width});  // the same for all five
    const at::Tensor a = at::randn(x.sizes(), kOnGpu);
    const at::Tensor b = at::randn(x.sizes(), kOnGpu);
    const auto gradients = [&](const at::Tensor& sum, const at::Tensor& normed) {
      (sum.to(at::kFloat) * a + normed.to(at::kFloat) * b).sum().backward();
      std::vector<at::Tensor> all;
      for (const at::Tensor& leaf_tensor : {x, bias, residual, norm->weight, norm->bias}) {
        all.push_back(leaf_tensor.grad().to(at::kFloat));
        leaf_tensor.mutable_grad().reset();
      }
      return all;
    };
    const auto fused = add_norm(x, bias, residual, 0, *norm);
    ASSERT_TRUE(fused.normed.defined());
    const auto ours = gradients(fused.sum, fused.normed);
    const at::Tensor sum = x.to(at::kFloat) + bias.to(at::kFloat) + residual.to(at::kFloat);
    const at::Tensor normed =
        at::layer_norm(sum, {width}, norm->weight.to(at::kFloat), norm->bias.to(at::kFloat), 1e-12);
    const auto theirs = gradients(sum, normed);
    EXPECT_LT(difference(fused.normed, normed), allowed());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_LT(difference(ours[i], theirs[i]), allowed()) << width << " gradient " << i;
    }
  }
}

TEST_P(FusedNorms, DropoutBeforeTheNormDropsItsShareAndItsGradients) {
  torch::nn::LayerNorm norm(torch::nn::LayerNormOptions({256}));
  norm->to(at::kCUDA);
  norm->to(GetParam());
  const at::Tensor x = at::ones({400, 256}, kOnGpu).to(GetParam()).set_requires_grad(true);
  const at::Tensor none = at::zeros({400, 256}, kOnGpu).to(GetParam());
  const auto first = add_norm(x, {}, none, 0.25, *norm);
  const auto second = add_norm(x, {}, none, 0.25, *norm);
  const at::Tensor kept = first.sum != 0;
  EXPECT_NEAR(kept.to(at::kFloat).mean().item<float>(), 0.75, 0.01);
  EXPECT_FALSE(at::equal(kept, second.sum != 0));
  first.sum.sum().backward();
  EXPECT_TRUE(at::equal(x.grad() != 0, kept));
}

// With half of the numbers dropped, any two are dropped independently.
TEST_P(FusedNorms, NeighboursRowsAndStepsAreDroppedIndependently) {
  constexpr std::int64_t kRows = 4096;
  constexpr std::int64_t kWidth = 768;
  torch::nn::LayerNorm norm(torch::nn::LayerNormOptions({kWidth}));
  norm->to(at::kCUDA);
  norm->to(GetParam());
  const at::Tensor x = at::ones({kRows, kWidth}, kOnGpu).to(GetParam());
  const at::Tensor none = at::zeros({kRows, kWidth}, kOnGpu).to(GetParam());
  const auto signs = [&] {
    return (add_norm(x, {}, none, 0.5, *norm).sum != 0).to(at::kFloat) * 2 - 1;
  };
  const at::Tensor first = signs();
  const at::Tensor second = signs();
  // The mean of 3 million products of two signs has a standard deviation of 6e-4.
  constexpr float kFiveDeviations = 3e-3F;
  const auto agreement = [](const at::Tensor& a, const at::Tensor& b) {
    return std::abs((a * b).mean().item<float>());
  };
  EXPECT_LT(std::abs(first.mean().item<float>()), kFiveDeviations);
  EXPECT_LT(agreement(first, second), kFiveDeviations);
  for (const std::int64_t distance : {1, 2, 3, 4, 7, 8}) {
    EXPECT_LT(agreement(first.narrow(1, distance, kWidth - distance),
                        first.narrow(1, 0, kWidth - distance)),
              kFiveDeviations)
        << distance;
    EXPECT_LT(agreement(first.narrow(0, distance, kRows - distance),
                        first.narrow(0, 0, kRows - distance)),
              kFiveDeviations)
        << distance;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, FusedNorms, testing::Values(at::kFloat, at::kBFloat16));

}  // namespace
}  // namespace tacho::fused
