#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/test_on_gpu.h"

namespace tacho::fused {
namespace {

class FusedDecoder : public OnGpu {
 protected:
  [[nodiscard]] at::Tensor leaf(at::IntArrayRef size) const {
    return at::randn(size, kOnGpu).to(GetParam()).set_requires_grad(true);
  }
  // The results and the gradients of the leaves equal those of `wanted`, computed in fp32.
  void expect_equal(const at::Tensor& found, const at::Tensor& wanted,
                    const std::vector<at::Tensor>& leaves) const {
    ASSERT_TRUE(found.defined());
    EXPECT_LT(difference(found, wanted), allowed());
    const at::Tensor weights = at::randn(found.sizes(), kOnGpu);
    const auto ours = gradients_of(found, weights, leaves);
    const auto theirs = gradients_of(wanted, weights, leaves);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_LT(difference(ours[i], theirs[i]), allowed()) << i;
    }
  }
};

at::Tensor wide(const at::Tensor& x) { return x.to(at::kFloat); }

// A vocabulary of whole packs and others, rows for one product and for two.
TEST_P(FusedDecoder, TheLossOfTokensEqualsTorchs) {
  for (const auto& [rows, width, classes] : {std::array<std::int64_t, 3>{20, 48, 7},
                                             {300, 64, 4096},
                                             {8200, 64, 1003},
                                             {33, 32, 50257}}) {
    for (const double smoothing : {0.0, 0.1}) {
      const at::Tensor hidden = leaf({rows, width});
      const at::Tensor head = leaf({classes, width});
      const at::Tensor labels = at::randint(classes, {rows}, kOnGpu.dtype(at::kLong));
      const TokenLoss found = token_loss(hidden, head, labels, smoothing);
      // Logits are rounded to the type of the weights in both.
      const at::Tensor logits = wide(at::linear(hidden, head));
      const at::Tensor wanted =
          at::cross_entropy_loss(logits, labels, {}, at::Reduction::Mean, -100, smoothing);
      const std::string place = std::to_string(rows) + " × " + std::to_string(classes);
      EXPECT_NEAR(found.loss.item<float>(), wanted.item<float>(), 1e-4 * wanted.item<float>())
          << place;
      // Of equal scores the first class wins. Another product rounds some scores to a neighbour.
      const at::Tensor right = logits.gather(1, labels.unsqueeze(1));
      const at::Tensor before = at::arange(classes, labels.options()) < labels.unsqueeze(1);
      const at::Tensor ahead = (logits > right).logical_or((logits == right).logical_and(before));
      const at::Tensor wrong = (found.ahead - ahead.sum(1)).to(at::kFloat).abs();
      EXPECT_LT(wrong.mean().item<double>(), 1e-3 * static_cast<double>(classes) + 0.2) << place;
      const at::Tensor three = at::full({}, 3.0, kOnGpu);
      const auto ours = gradients_of(found.loss, three, {hidden, head});
      const auto theirs = gradients_of(wanted, three, {hidden, head});
      EXPECT_LT(difference(ours[0], theirs[0]), allowed()) << place;
      EXPECT_LT(difference(ours[1], theirs[1]), allowed()) << place;
    }
  }
}

TEST_P(FusedDecoder, AFrozenHeadGetsNoGradientAndEvaluationNone) {
  const at::Tensor hidden = leaf({40, 64});
  const at::Tensor head = leaf({1000, 64}).detach();
  const at::Tensor labels = at::randint(1000, {40}, kOnGpu.dtype(at::kLong));
  token_loss(hidden, head, labels, 0).loss.backward();
  EXPECT_TRUE(hidden.grad().defined());
  EXPECT_FALSE(head.grad().defined());
  const at::NoGradGuard evaluation;
  const TokenLoss quiet = token_loss(hidden, head, labels, 0);
  EXPECT_FALSE(quiet.loss.requires_grad());
  EXPECT_NEAR(quiet.loss.item<float>(),
              at::cross_entropy_loss(wide(at::linear(hidden, head)), labels).item<float>(), 1e-3);
}

TEST_P(FusedDecoder, NegativeLabelsDoNotCount) {
  const at::Tensor hidden = leaf({50, 64});
  const at::Tensor head = leaf({1003, 64});
  const at::Tensor labels = at::randint(1003, {50}, kOnGpu.dtype(at::kLong));
  labels.narrow(0, 10, 25).fill_(-100);
  const TokenLoss found = token_loss(hidden, head, labels, 0.1);
  const at::Tensor wanted = at::cross_entropy_loss(wide(at::linear(hidden, head)), labels, {},
                                                   at::Reduction::Mean, -100, 0.1);
  EXPECT_NEAR(found.loss.item<float>(), wanted.item<float>(), 1e-4 * wanted.item<float>());
  EXPECT_TRUE(at::equal(found.ahead < 0, labels < 0));
  const at::Tensor one = at::ones({}, kOnGpu);
  const auto ours = gradients_of(found.loss, one, {hidden, head});
  const auto theirs = gradients_of(wanted, one, {hidden, head});
  EXPECT_LT(difference(ours[0], theirs[0]), allowed());
  EXPECT_LT(difference(ours[1], theirs[1]), allowed());
  labels.fill_(-100);
  const TokenLoss none = token_loss(hidden, head, labels, 0);
  EXPECT_EQ(none.loss.item<float>(), 0);
  EXPECT_EQ(gradients_of(none.loss, one, {hidden})[0].abs().max().item<float>(), 0);
}

TEST_P(FusedDecoder, GatedSiluEqualsTorchs) {
  const at::Tensor gate = leaf({6, 70, 264});
  const at::Tensor up = leaf({6, 70, 264});
  expect_equal(gated_silu(gate, up), at::silu(wide(gate)) * wide(up), {gate, up});
}

TEST_P(FusedDecoder, RotatedHeadsEqualTorchs) {
  for (const std::int64_t width : {64, 128}) {
    const at::Tensor stored = leaf({3, 50, 4 * width});
    const at::Tensor x = stored.view({3, 50, 4, width}).transpose(1, 2);
    const at::Tensor angles = at::randn({50, width / 2}, kOnGpu).repeat({1, 2});
    const at::Tensor cosine = angles.cos().to(GetParam());
    const at::Tensor sine = angles.sin().to(GetParam());
    const auto halves = wide(x).chunk(2, -1);
    const at::Tensor wanted =
        wide(x) * wide(cosine) + at::cat({-halves[1], halves[0]}, -1) * wide(sine);
    expect_equal(rotate(x, cosine, sine), wanted, {stored});
  }
}

TEST_P(FusedDecoder, InputMajorProductsEqualTorchs) {
  const at::Tensor x = leaf({6, 130, 48});
  const at::Tensor weight = leaf({48, 72});
  const at::Tensor bias = leaf({72});
  expect_equal(linear(x, weight, bias, true), at::matmul(wide(x), wide(weight)) + wide(bias),
               {x, weight, bias});
}

TEST_P(FusedDecoder, CausalAttentionEqualsTorchs) {
  const at::Tensor q = leaf({2, 100, 3, 64}).transpose(1, 2);
  const at::Tensor k = leaf({2, 3, 100, 64});
  const at::Tensor v = leaf({2, 3, 100, 64});
  const at::Tensor found = causal_attention(q, k, v, 0);
  if (GetParam() == at::kFloat) {
    EXPECT_FALSE(found.defined());
    return;
  }
  const at::Tensor later = at::ones({100, 100}, kOnGpu.dtype(at::kBool)).triu(1);
  const at::Tensor scores = at::matmul(wide(q), wide(k).transpose(-2, -1)) / std::sqrt(64.0);
  const at::Tensor wanted =
      at::matmul(at::softmax(scores.masked_fill(later, -INFINITY), -1), wide(v));
  expect_equal(found, wanted, {k, v});
}

INSTANTIATE_TEST_SUITE_P(Types, FusedDecoder, testing::Values(at::kFloat, at::kBFloat16));

}  // namespace
}  // namespace tacho::fused
