// The kernels against torch's own operations, in fp32 on the GPU, and in bf16 as far as 8 bits go.
#include "train/cuda/fused_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "train/optimizer.h"

namespace tacho::fused {
namespace {

const auto kOnGpu = at::TensorOptions().device(at::kCUDA);

// By how much two tensors differ, as a share of the larger one.
double difference(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.detach().to(at::kDouble);
  const at::Tensor y = b.detach().to(at::kDouble);
  return (x - y).norm().item<double>() / std::max(y.norm().item<double>(), 1e-30);
}

class OnGpu : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
    torch::manual_seed(1);
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
  }
  [[nodiscard]] double allowed() const { return GetParam() == at::kFloat ? 1e-5 : 1.5e-2; }
  [[nodiscard]] at::Tensor image(at::IntArrayRef size) const {
    // A mean far from 0, where a careless variance cancels itself away.
    return (at::randn(size, kOnGpu) + 3)
        .to(GetParam())
        .contiguous(at::MemoryFormat::ChannelsLast)
        .set_requires_grad(true);
  }
};

struct NormCase {
  bool relu;
  bool residual;
};

TEST_P(OnGpu, BatchNormEqualsTorchs) {
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

// Both read, only one of them read: the sum of what comes back, whoever it is from.
TEST_P(OnGpu, TwoReadersOfANormGetWhatOneWould) {
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

TEST_P(OnGpu, AStemEqualsItsConvolution) {
  if (GetParam() == at::kFloat) GTEST_SKIP() << "of 16-bit numbers only";
  for (const at::MemoryFormat layout :
       {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    torch::nn::Conv2d stem(torch::nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false));
    stem->to(at::kCUDA, GetParam());
    const at::Tensor x = at::randn({5, 3, 36, 22}, kOnGpu).to(GetParam()).contiguous(layout);
    const at::Tensor weights = at::randn({5, 64, 18, 11}, kOnGpu);
    const at::Tensor y = stem_convolution(x, *stem);
    ASSERT_TRUE(y.defined());
    ASSERT_EQ(y.sizes(), weights.sizes());
    (y.to(at::kFloat) * weights).sum().backward();
    const at::Tensor gradient = stem->weight.grad().to(at::kFloat);
    const at::Tensor wide = stem->weight.detach().to(at::kFloat).requires_grad_(true);
    const at::Tensor expected = at::conv2d(x.to(at::kFloat), wide, {}, 2, 3);
    (expected * weights).sum().backward();
    EXPECT_LT(difference(y, expected), allowed());
    EXPECT_LT(difference(gradient, wide.grad()), allowed());
  }
}

TEST_P(OnGpu, PoolsOfAnyWindowEqualTorchs) {
  for (const auto& [kernel, stride, padding, height] :
       {std::array<std::int64_t, 4>{2, 2, 0, 15},
        {3, 2, 1, 15},
        {3, 2, 1, 14},  // of even sides it has a kernel of its own
        {3, 1, 1, 15},
        {5, 2, 2, 15},
        {3, 3, 0, 15}}) {
    const at::Tensor x = image({3, 24, height, 22});
    const auto gradient = [&](const at::Tensor& y, const at::Tensor& weights) {
      (y.to(at::kFloat) * weights).sum().backward();
      at::Tensor dx = x.grad().clone();
      x.mutable_grad().reset();
      return dx;
    };
    const at::Tensor expected = at::max_pool2d(x, kernel, stride, padding);
    const at::Tensor weights = at::randn(expected.sizes(), kOnGpu);
    const at::Tensor expected_dx = gradient(expected, weights);
    const at::Tensor y = max_pool(x, kernel, stride, padding);
    ASSERT_TRUE(y.defined());
    EXPECT_EQ(difference(y, expected), 0);
    EXPECT_LT(difference(gradient(y, weights), expected_dx), allowed()) << kernel << stride;
  }
}

TEST_P(OnGpu, BiasAndActivationEqualTorchs) {
  for (const Pointwise f : {Pointwise::relu, Pointwise::gelu}) {
    for (const std::int64_t channels : {32, 768, 3072}) {
      const at::Tensor x = at::randn({70, channels}, kOnGpu).to(GetParam()).set_requires_grad(true);
      const at::Tensor bias = at::randn({channels}, kOnGpu).to(GetParam()).set_requires_grad(true);
      const at::Tensor weights = at::randn({70, channels}, kOnGpu);
      const auto gradients = [&](const at::Tensor& y) {
        (y.to(at::kFloat) * weights).sum().backward();
        const auto both = std::pair(x.grad().clone(), bias.grad().clone());
        x.mutable_grad().reset();
        bias.mutable_grad().reset();
        return both;
      };
      const at::Tensor y = bias_act(x, bias, f);
      ASSERT_TRUE(y.defined());
      const auto [dx, dbias] = gradients(y);
      const at::Tensor sum = x.to(at::kFloat) + bias.to(at::kFloat);
      const at::Tensor expected = f == Pointwise::relu ? at::relu(sum) : at::gelu(sum);
      const auto [expected_dx, expected_dbias] = gradients(expected);
      EXPECT_LT(difference(y, expected), allowed());
      EXPECT_LT(difference(dx, expected_dx), allowed());
      EXPECT_LT(difference(dbias, expected_dbias), allowed());
    }
  }
}

TEST_P(OnGpu, AddNormEqualsTorchs) {
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

TEST_P(OnGpu, DropoutBeforeTheNormDropsItsShareAndItsGradients) {
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

// Of half the numbers dropped, whether two are kept tells nothing of each other.
TEST_P(OnGpu, NeighboursRowsAndStepsAreDroppedApart) {
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
  // Of 3 million products of two signs the mean is off by 6e-4 at one standard deviation.
  constexpr float kFiveDeviations = 3e-3F;
  const auto agreement = [](const at::Tensor& a, const at::Tensor& b) {
    return std::abs((a * b).mean().item<float>());
  };
  EXPECT_LT(std::abs(first.mean().item<float>()), kFiveDeviations);
  EXPECT_LT(agreement(first, second), kFiveDeviations);
  for (const std::int64_t apart : {1, 2, 3, 4, 7, 8}) {
    EXPECT_LT(agreement(first.narrow(1, apart, kWidth - apart), first.narrow(1, 0, kWidth - apart)),
              kFiveDeviations)
        << apart;
    EXPECT_LT(agreement(first.narrow(0, apart, kRows - apart), first.narrow(0, 0, kRows - apart)),
              kFiveDeviations)
        << apart;
  }
}

TEST_P(OnGpu, MaxPoolEqualsTorchs) {
  for (const auto& [kernel, stride, padding] : {std::tuple{2, 2, 0}, {3, 2, 1}, {3, 1, 0}}) {
    const at::Tensor x = image({3, 16, 11, 14});
    const at::Tensor y = max_pool(x, kernel, stride, padding);
    const at::Tensor weights = at::randn(y.sizes(), kOnGpu).to(GetParam());
    (y * weights).sum().backward();
    const at::Tensor dx = x.grad().clone();
    x.mutable_grad().reset();
    const at::Tensor expected =
        at::max_pool2d(x, {kernel, kernel}, {stride, stride}, {padding, padding});
    (expected * weights).sum().backward();
    EXPECT_TRUE(at::equal(y, expected));
    // Where windows overlap, sums are rounded in another order.
    EXPECT_LT(difference(dx, x.grad()), allowed());
  }
}

// Gradients of the leaves, as fp32; the leaves are left without.
std::vector<at::Tensor> gradients_of(const at::Tensor& y, const at::Tensor& weights,
                                     const std::vector<at::Tensor>& leaves) {
  (y.to(at::kFloat) * weights).sum().backward();
  std::vector<at::Tensor> all;
  for (const at::Tensor& leaf : leaves) {
    all.push_back(leaf.grad().to(at::kFloat).clone());
    leaf.mutable_grad().reset();
  }
  return all;
}

TEST_P(OnGpu, AGrayConvolutionEqualsTorchs) {
  struct Case {
    std::int64_t images, height, width, channels, padding;
  };
  for (const Case& c :
       {Case{5, 28, 28, 32, 0}, {3, 9, 5, 64, 1}, {70, 7, 31, 8, 2}, {1, 3, 3, 128, 0}}) {
    torch::nn::Conv2d layer(torch::nn::Conv2dOptions(1, c.channels, 3).padding(c.padding));
    layer->to(at::kCUDA, GetParam());
    const at::Tensor x = at::randn({c.images, 1, c.height, c.width}, kOnGpu).to(GetParam());
    const at::Tensor y = gray_conv_relu(x, *layer);
    ASSERT_TRUE(y.defined()) << c.channels;
    const at::Tensor weights = at::randn(y.sizes(), kOnGpu);
    const auto ours = gradients_of(y, weights, {layer->weight, layer->bias});
    const at::Tensor expected = at::conv2d(x.to(at::kFloat), layer->weight.to(at::kFloat),
                                           layer->bias.to(at::kFloat), 1, c.padding)
                                    .relu();
    const auto theirs = gradients_of(expected, weights, {layer->weight, layer->bias});
    EXPECT_LT(difference(y, expected), allowed()) << c.channels;
    EXPECT_LT(difference(ours[0], theirs[0]), allowed()) << c.channels;
    EXPECT_LT(difference(ours[1], theirs[1]), allowed()) << c.channels;
  }
}

TEST_P(OnGpu, WhatStandsBehindTheLastConvolutionEqualsTorchs) {
  for (const auto& [height, width, channels] :
       {std::array<std::int64_t, 3>{24, 24, 64}, {2, 6, 16}, {44, 46, 32}}) {
    const at::Tensor x = (image({7, channels, height, width}) - 3)
                             .detach()
                             .contiguous(at::MemoryFormat::ChannelsLast)
                             .set_requires_grad(true);
    const at::Tensor bias = at::randn({channels}, kOnGpu).to(GetParam()).set_requires_grad(true);
    const at::Tensor y = pool_tail(x, bias, 0);
    ASSERT_TRUE(y.defined());
    const at::Tensor weights = at::randn(y.sizes(), kOnGpu);
    const auto ours = gradients_of(y, weights, {x, bias});
    const at::Tensor expected =
        (at::max_pool2d(x, 2).to(at::kFloat) + bias.to(at::kFloat).view({1, -1, 1, 1}))
            .relu()
            .flatten(1);
    const auto theirs = gradients_of(expected, weights, {x, bias});
    EXPECT_LT(difference(y, expected), allowed());
    EXPECT_LT(difference(ours[0], theirs[0]), allowed()) << height;
    EXPECT_LT(difference(ours[1], theirs[1]), allowed()) << height;
  }
  // Of odd sides a row is in no window.
  EXPECT_FALSE(pool_tail(image({2, 16, 5, 4}), at::ones({16}, kOnGpu).to(GetParam()), 0).defined());
}

TEST_P(OnGpu, DropoutBehindAReluDropsItsShareAndItsGradients) {
  const at::Tensor x = at::ones({500, 256}, kOnGpu).to(GetParam()).set_requires_grad(true);
  const at::Tensor none = at::zeros({256}, kOnGpu).to(GetParam());
  const at::Tensor tall = at::ones({20, 64, 8, 8}, kOnGpu)
                              .to(GetParam())
                              .contiguous(at::MemoryFormat::ChannelsLast)
                              .set_requires_grad(true);
  const at::Tensor first = bias_act(x, none, Pointwise::relu, 0.25);
  const at::Tensor pooled = pool_tail(tall, none.narrow(0, 0, 64), 0.25);
  for (const at::Tensor& y : {first, pooled}) {
    const at::Tensor kept = (y != 0).to(at::kFloat);
    EXPECT_NEAR(kept.mean().item<float>(), 0.75, 0.01);
    EXPECT_NEAR(y.max().item<float>(), 1 / 0.75, 0.01);
  }
  EXPECT_FALSE(at::equal(first != 0, bias_act(x, none, Pointwise::relu, 0.25) != 0));
  first.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), first.detach()));
  pooled.sum().backward();
  EXPECT_NEAR(tall.grad().sum().item<float>() / pooled.sum().item<float>(), 1, 0.01);
}

TEST_P(OnGpu, ALinearsBiasGetsTheSumOfWhatComesBack) {
  const auto leaf = [](at::IntArrayRef size) {
    return at::randn(size, kOnGpu).to(GetParam()).set_requires_grad(true);
  };
  const at::Tensor x = leaf({6, 130, 48});
  const at::Tensor weight = leaf({72, 48});
  const at::Tensor bias = leaf({72});
  const at::Tensor y = linear(x, weight, bias);
  ASSERT_TRUE(y.defined());
  const at::Tensor weights = at::randn(y.sizes(), kOnGpu);
  const auto ours = gradients_of(y, weights, {x, weight, bias});
  const at::Tensor expected =
      at::linear(x.to(at::kFloat), weight.to(at::kFloat), bias.to(at::kFloat));
  const auto theirs = gradients_of(expected, weights, {x, weight, bias});
  EXPECT_LT(difference(y, expected), allowed());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_LT(difference(ours[i], theirs[i]), allowed()) << i;
  }
}

// Words that stand once, a word that stands nearly everywhere, and the padding.
TEST_P(OnGpu, AnEmbeddingsGradientEqualsTorchs) {
  for (const std::int64_t width : {32, 256, 776}) {
    const at::Tensor table = at::randn({900, width}, kOnGpu).to(GetParam()).set_requires_grad(true);
    at::Tensor tokens = at::randint(900, {40, 50}, kOnGpu.dtype(at::kLong));
    tokens.narrow(1, 10, 12).fill_(7);
    tokens.narrow(1, 30, 20).fill_(0);
    for (const std::int64_t left_out : {-1, 0}) {
      const at::Tensor y = fused::embedding(table, tokens, left_out);
      ASSERT_TRUE(y.defined());
      const at::Tensor weights = at::randn(y.sizes(), kOnGpu);
      const auto ours = gradients_of(y, weights, {table});
      const at::Tensor wide = table.detach().to(at::kDouble).set_requires_grad(true);
      const at::Tensor expected = at::embedding(wide, tokens, left_out);
      (expected * weights.to(GetParam())).sum().backward();
      EXPECT_EQ(difference(y, expected), 0);
      EXPECT_LT(difference(ours[0], wide.grad()), allowed()) << width << " without " << left_out;
      EXPECT_TRUE(at::equal(
          gradients_of(fused::embedding(table, tokens, left_out), weights, {table})[0], ours[0]));
    }
  }
}

TEST_P(OnGpu, CrossEntropyEqualsTorchs) {
  for (const auto& [rows, classes] : {std::array<std::int64_t, 2>{64, 10}, {7, 2}, {300, 1000}}) {
    for (const double smoothing : {0.0, 0.1}) {
      const at::Tensor logits =
          (5 * at::randn({rows, classes}, kOnGpu)).to(GetParam()).set_requires_grad(true);
      const at::Tensor labels = at::randint(classes, {rows}, kOnGpu.dtype(at::kLong));
      const at::Tensor weight = at::full({}, 3.0, kOnGpu);
      const at::Tensor loss = cross_entropy(logits, labels, smoothing);
      ASSERT_TRUE(loss.defined());
      const auto ours = gradients_of(loss, weight, {logits});
      const at::Tensor expected = at::cross_entropy_loss(logits.to(at::kDouble), labels, {},
                                                         at::Reduction::Mean, -100, smoothing);
      const auto theirs = gradients_of(expected, weight, {logits});
      EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-5 * expected.item<double>());
      EXPECT_LT(difference(ours[0], theirs[0]), allowed()) << rows << " × " << classes;
    }
  }
}

// The numbers of `like`, contiguous, at a place where sixteen bytes cannot be read at once.
at::Tensor unaligned(const at::Tensor& like) {
  at::Tensor room = at::empty({like.numel() + 1}, like.options());
  return room.narrow(0, 1, like.numel()).view(like.sizes()).copy_(like);
}

TEST_P(OnGpu, ASliceThatBeginsBetweenPacksIsLeftToTorch) {
  const auto numbers = [](at::IntArrayRef size) { return at::randn(size, kOnGpu).to(GetParam()); };
  const at::Tensor x = numbers({70, 64});
  const at::Tensor bias = numbers({64});
  torch::nn::LayerNorm norm(torch::nn::LayerNormOptions({64}));
  norm->to(at::kCUDA);
  norm->to(GetParam());
  EXPECT_TRUE(bias_act(x, bias, Pointwise::relu).defined());
  EXPECT_FALSE(bias_act(unaligned(x), bias, Pointwise::relu).defined());
  EXPECT_FALSE(bias_act(x, unaligned(bias), Pointwise::relu).defined());
  EXPECT_TRUE(add_norm(x, bias, x, 0, *norm).normed.defined());
  EXPECT_FALSE(add_norm(unaligned(x), bias, x, 0, *norm).normed.defined());
  EXPECT_FALSE(add_norm(x, unaligned(bias), x, 0, *norm).normed.defined());
  EXPECT_TRUE(at::equal(add_norm(x, bias, unaligned(x), 0, *norm).normed,
                        add_norm(x, bias, x, 0, *norm).normed));
}

TEST_P(OnGpu, AGradientMayBeginBetweenPacks) {
  const at::Tensor x = at::randn({70, 64}, kOnGpu).to(GetParam()).set_requires_grad(true);
  const at::Tensor bias = at::randn({64}, kOnGpu).to(GetParam());
  const at::Tensor dy = at::randn({70, 64}, kOnGpu).to(GetParam());
  const auto gradient = [&](const at::Tensor& from) {
    bias_act(x, bias, Pointwise::gelu).backward(from);
    const at::Tensor dx = x.grad().clone();
    x.mutable_grad().reset();
    return dx;
  };
  EXPECT_TRUE(at::equal(gradient(unaligned(dy)), gradient(dy)));
}

INSTANTIATE_TEST_SUITE_P(Types, OnGpu, testing::Values(at::kFloat, at::kBFloat16));

// Each optimizer, ten steps on the GPU and on the CPU (which is held against torch.optim).
TEST(OptimizerOnGpu, EqualsTheCpus) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  const std::vector<OptimizerSpec> kinds = {
      {.learning_rate = 0.1},
      {.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 1e-2},
      {.learning_rate = 0.1, .momentum = 0.9, .nesterov = true},
      {.kind = OptimizerKind::adam, .learning_rate = 0.01, .weight_decay = 1e-2},
      {.kind = OptimizerKind::adamw, .learning_rate = 0.01, .weight_decay = 1e-2}};
  for (const OptimizerSpec& spec : kinds) {
    for (const std::optional<double> clip : {std::optional<double>(), std::optional(0.5)}) {
      torch::manual_seed(2);
      torch::nn::Linear on_cpu(301, 77);
      torch::nn::Linear on_gpu(301, 77);
      {
        const torch::NoGradGuard no_grad;
        on_gpu->weight.copy_(on_cpu->weight);
        on_gpu->bias.copy_(on_cpu->bias);
      }
      on_gpu->to(at::kCUDA);
      Optimizer cpu(spec, *on_cpu, {.clip_norm = clip});
      Optimizer gpu(spec, *on_gpu, {.clip_norm = clip});
      for (int step = 0; step < 10; ++step) {
        const at::Tensor x = at::randn({16, 301});
        on_cpu->forward(x).pow(2).mean().backward();
        on_gpu->forward(x.cuda()).pow(2).mean().backward();
        cpu.step(spec.learning_rate);
        gpu.step(spec.learning_rate);
      }
      EXPECT_LT(difference(on_gpu->weight.cpu(), on_cpu->weight), 1e-4);
      EXPECT_LT(difference(on_gpu->bias.cpu(), on_cpu->bias), 1e-4);
    }
  }
}

}  // namespace
}  // namespace tacho::fused
