#include "training/train/cuda/kernel_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::kernel_choice {
namespace {

const auto kOnGpu = at::TensorOptions().device(at::kCUDA);

class KernelChoice : public testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
    set(KernelKind::automatic);
  }
  void TearDown() override { set(KernelKind::automatic); }

  // One pass over the numbers, and ten.
  static at::Tensor quick(const Tensors& in) { return in[0] * 2; }
  static at::Tensor slow(const Tensors& in) {
    at::Tensor y = in[0];
    for (int i = 0; i < 10; ++i) y = y + in[0];
    return y;
  }
};

TEST_F(KernelChoice, PicksTheFasterOneForEachShapeAndRemembersIt) {
  const at::Tensor x = at::ones({1 << 22}, kOnGpu).set_requires_grad(true);
  EXPECT_TRUE(takes_ours({.name = "a", .ours = quick, .theirs = slow}, {x}));
  EXPECT_FALSE(takes_ours({.name = "b", .ours = slow, .theirs = quick}, {x}));
  EXPECT_EQ(summary(), "1 of 2 layer shapes are faster with fused kernels");
  const LayerFunction never = [](const Tensors&) -> at::Tensor {
    throw std::logic_error("timed again");
  };
  EXPECT_TRUE(takes_ours({.name = "a", .ours = never, .theirs = never}, {x}));
}

TEST_F(KernelChoice, FallsBackToTorchIfALayerDoesNotFit) {
  const LayerFunction none = [](const Tensors&) { return at::Tensor(); };
  EXPECT_FALSE(takes_ours({.name = "c", .ours = none, .theirs = slow}, {at::ones({8}, kOnGpu)}));
}

TEST_F(KernelChoice, ATrialHasNoSideEffects) {
  const at::Tensor x = at::ones({1000}, kOnGpu).set_requires_grad(true);
  const at::Tensor weight = at::ones({1000}, kOnGpu).set_requires_grad(true);
  const LayerFunction draws = [&](const Tensors& in) {
    return at::dropout(in[0] * weight, 0.5, true);
  };
  torch::manual_seed(3);
  const at::Tensor expected = at::rand({4}, kOnGpu);
  torch::manual_seed(3);
  takes_ours(
      {.name = "d", .ours = draws, .theirs = draws, .parameters = [&] { return Tensors{weight}; }},
      {x});
  EXPECT_TRUE(at::equal(at::rand({4}, kOnGpu), expected));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(weight.grad().defined());
}

TEST_F(KernelChoice, AFixedChoiceIsObeyed) {
  const Tensors in{at::ones({8}, kOnGpu)};
  const LayerVariants variants{.name = "e", .ours = slow, .theirs = quick};
  set(KernelKind::fused);
  EXPECT_TRUE(takes_ours(variants, in));
  set(KernelKind::torch);
  EXPECT_FALSE(takes_ours(variants, in));
  EXPECT_TRUE(torch_only());
  EXPECT_EQ(summary(), "");
}

}  // namespace
}  // namespace tacho::kernel_choice
