#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/test_on_gpu.h"

namespace tacho::fused {
namespace {

class FusedRows : public OnGpu {};

TEST_P(FusedRows, BiasAndActivationEqualTorchs) {
  for (const Pointwise f : {Pointwise::relu, Pointwise::gelu, Pointwise::gelu_tanh}) {
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
      const at::Tensor expected = f == Pointwise::relu
                                      ? at::relu(sum)
                                      : at::gelu(sum, f == Pointwise::gelu ? "none" : "tanh");
      const auto [expected_dx, expected_dbias] = gradients(expected);
      EXPECT_LT(difference(y, expected), allowed());
      EXPECT_LT(difference(dx, expected_dx), allowed());
      EXPECT_LT(difference(dbias, expected_dbias), allowed());
    }
  }
}

TEST_P(FusedRows, DropoutAfterAReluDropsItsShareAndItsGradients) {
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

TEST_P(FusedRows, TheGradientOfALinearsBiasIsTheSumOfItsRows) {
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

// Words that occur once, a word that occurs nearly everywhere, and the padding.
TEST_P(FusedRows, AnEmbeddingsGradientEqualsTorchs) {
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

TEST_P(FusedRows, CrossEntropyEqualsTorchs) {
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

// Returns the numbers of `like`, contiguous, at an address where sixteen bytes cannot be read at
// once.
at::Tensor unaligned(const at::Tensor& like) {
  at::Tensor room = at::empty({like.numel() + 1}, like.options());
  return room.narrow(0, 1, like.numel()).view(like.sizes()).copy_(like);
}

TEST_P(FusedRows, ASliceThatBeginsBetweenPacksIsLeftToTorch) {
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

TEST_P(FusedRows, AGradientMayBeginBetweenPacks) {
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

INSTANTIATE_TEST_SUITE_P(Types, FusedRows, testing::Values(at::kFloat, at::kBFloat16));

}  // namespace
}  // namespace tacho::fused
