#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "training/train/cuda/fused_layers.h"
#include "training/train/cuda/test_on_gpu.h"

namespace tacho::fused {
namespace {

class FusedImages : public OnGpu {};

TEST_P(FusedImages, AStemEqualsItsConvolution) {
  if (GetParam() == at::kFloat) GTEST_SKIP() << "only for 16-bit types";
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

TEST_P(FusedImages, PoolsOfAnyWindowEqualTorchs) {
  for (const auto& [kernel, stride, padding, height] :
       {std::array<std::int64_t, 4>{2, 2, 0, 15},
        {3, 2, 1, 15},
        {3, 2, 1, 14},  // even sides have a separate kernel
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

TEST_P(FusedImages, MaxPoolEqualsTorchs) {
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
    // Where windows overlap, sums are rounded in a different order.
    EXPECT_LT(difference(dx, x.grad()), allowed());
  }
}

TEST_P(FusedImages, AGlobalPoolEqualsTorchs) {
  struct Case {
    std::int64_t images, channels, height, width;
  };
  for (const Case& c : {Case{5, 24, 7, 7},
                        {1, 8, 1, 1},
                        {3, 72, 2, 5},
                        {2, 2048, 9, 3},
                        {70, 264, 7, 7},
                        {2, 16, 13, 11}}) {
    const at::Tensor x = image({c.images, c.channels, c.height, c.width});
    const at::Tensor y = global_average(x);
    ASSERT_TRUE(y.defined());
    const at::Tensor weights = at::randn(y.sizes(), kOnGpu);
    const auto ours = gradients_of(y, weights, {x});
    const at::Tensor expected = x.to(at::kDouble).mean({2, 3});
    const auto theirs = gradients_of(expected, weights, {x});
    EXPECT_LT(difference(y, expected), allowed()) << c.channels;
    EXPECT_LT(difference(ours[0], theirs[0]), allowed()) << c.channels;
  }
  EXPECT_FALSE(global_average(image({2, 3, 4, 4})).defined());
  EXPECT_FALSE(global_average(image({2, 16, 4, 4}).contiguous()).defined());
}

TEST_P(FusedImages, AGrayConvolutionEqualsTorchs) {
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

TEST_P(FusedImages, ThePoolTailEqualsTorchs) {
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
  // With odd sides one row is in no window.
  EXPECT_FALSE(pool_tail(image({2, 16, 5, 4}), at::ones({16}, kOnGpu).to(GetParam()), 0).defined());
}

INSTANTIATE_TEST_SUITE_P(Types, FusedImages, testing::Values(at::kFloat, at::kBFloat16));

}  // namespace
}  // namespace tacho::fused
