// Compares both variants of a batch norm, with every plan, with double precision.
#include "training/kernels/norm_variants.h"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "training/train/cuda/fused_tools.h"
#include "training/train/cuda/test_on_gpu.h"

namespace tacho::fused {
namespace {

using kernels::HeldPlan;
using kernels::Pass;
using Plan = std::optional<HeldPlan>;  // none: three kernels

constexpr double kEpsilon = 1e-5;
constexpr double kMomentum = 0.1;
constexpr double kRunningMean = -2;  // before a step

at::Tensor unwritten(at::IntArrayRef size, at::ScalarType type) {
  return at::full(size, std::numeric_limits<double>::quiet_NaN(), kOnGpu.dtype(type));
}

// Three kernels, and one that holds all rows of a block, half of them, or none.
std::vector<Plan> plans_of(const kernels::Rows& shape, Pass pass) {
  std::vector<Plan> plans = {std::nullopt};
  for (const int threads : {128, kernels::kHeldThreads, kernels::kMostForwardThreads}) {
    if (pass == Pass::backward && threads > kernels::kHeldThreads) continue;
    Plan plan = kernels::held_plan(shape, pass, threads);
    if (!plan) continue;
    const int down = threads / kernels::kSlicePacks;
    const int turns = plan->held_rows / down;
    for (const int held : {turns, turns / 2, 0}) {
      plan->held_rows = held * down;
      plans.push_back(plan);
    }
  }
  return plans;
}

std::string words(const Plan& plan) {
  if (!plan) return "three kernels";
  return std::to_string(plan->held_rows) + " of " + std::to_string(plan->rows_each) +
         " rows held by " + std::to_string(plan->threads) + " threads";
}

struct Numbers {
  Numbers(std::int64_t row_count, std::int64_t channels, at::ScalarType type)
      : x((2 * at::randn({row_count, channels}, kOnGpu) + 3).to(type)),
        residual(at::randn({row_count, channels}, kOnGpu).to(type)),
        dy((at::randn({row_count, channels}, kOnGpu) + 0.25).to(type)),
        more(at::randn({row_count, channels}, kOnGpu).to(type)),
        gamma(at::rand({channels}, kOnGpu) + 0.5),
        beta(at::rand({channels}, kOnGpu) - 0.5),
        shape(rows_of(x)) {}
  at::Tensor x, residual, dy, more, gamma, beta;
  kernels::Rows shape;
};

struct Forward {
  at::Tensor y, passed, mean, rstd, running_mean, running_var;
};

Forward forward(const Numbers& n, bool relu, bool residual, const Plan& plan) {
  const std::int64_t channels = n.shape.channels;
  Forward out{.y = unwritten(n.x.sizes(), n.x.scalar_type()),
              .passed = at::full({kernels::passed_bytes(n.shape)}, 0xaa, kOnGpu.dtype(at::kByte)),
              .mean = unwritten({channels}, at::kFloat),
              .rstd = unwritten({channels}, at::kFloat),
              .running_mean = at::full({channels}, kRunningMean, kOnGpu),
              .running_var = at::ones({channels}, kOnGpu)};
  const at::Tensor workspace = floats(kernels::column_workspace(n.shape) + 2 * channels, n.x);
  const kernels::BatchNormForward p{.shape = n.shape,
                                    .x = address(n.x),
                                    .residual = residual ? address(n.residual) : nullptr,
                                    .y = address(out.y),
                                    .passed = relu && residual ? bytes_of(out.passed) : nullptr,
                                    .gamma = floats_of(n.gamma),
                                    .beta = floats_of(n.beta),
                                    .running_mean = floats_of(out.running_mean),
                                    .running_var = floats_of(out.running_var),
                                    .momentum = static_cast<float>(kMomentum),
                                    .epsilon = static_cast<float>(kEpsilon),
                                    .relu = relu,
                                    .mean = floats_of(out.mean),
                                    .rstd = floats_of(out.rstd),
                                    .workspace = floats_of(workspace)};
  if (plan) {
    kernels::held_norm_forward(p, *plan, stream());
  } else {
    kernels::three_kernels_forward(p, stream());
  }
  return out;
}

struct Backward {
  at::Tensor dx, dresidual, dgamma, dbeta;
};

Backward backward(const Numbers& n, const Forward& saved, bool relu, bool residual, bool two,
                  const Plan& plan) {
  const std::int64_t channels = n.shape.channels;
  Backward out{.dx = unwritten(n.x.sizes(), n.x.scalar_type()),
               .dresidual = unwritten(n.x.sizes(), n.x.scalar_type()),
               .dgamma = unwritten({channels}, at::kFloat),
               .dbeta = unwritten({channels}, at::kFloat)};
  const at::Tensor workspace = floats(kernels::column_workspace(n.shape) + 3 * channels, n.x);
  const kernels::BatchNormBackward p{.shape = n.shape,
                                     .dy = address(n.dy),
                                     .dy_more = two ? address(n.more) : nullptr,
                                     .x = address(n.x),
                                     .passed = relu && residual ? bytes_of(saved.passed) : nullptr,
                                     .dx = address(out.dx),
                                     .dresidual = residual ? address(out.dresidual) : nullptr,
                                     .gamma = floats_of(n.gamma),
                                     .beta = floats_of(n.beta),
                                     .mean = floats_of(saved.mean),
                                     .rstd = floats_of(saved.rstd),
                                     .relu = relu,
                                     .dgamma = floats_of(out.dgamma),
                                     .dbeta = floats_of(out.dbeta),
                                     .workspace = floats_of(workspace)};
  if (plan) {
    kernels::held_norm_backward(p, *plan, stream());
  } else {
    kernels::three_kernels_backward(p, stream());
  }
  return out;
}

class NormVariants : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
    torch::manual_seed(1);
  }
  // Rounding to 24, 11 and 8 bits.
  [[nodiscard]] double allowed() const {
    if (GetParam() == at::kFloat) return 1e-5;
    return GetParam() == at::kHalf ? 6e-4 : 5e-3;
  }
};

struct Size {
  std::int64_t rows, channels;
};
// Fewer rows than blocks, indivisible rows, channels that are not whole slices, more rows than an
// H200's SMs hold in backward in bf16, one slice per SM.
constexpr Size kSizes[] = {{7, 64},    {129, 64},   {100, 40},    {3137, 72}, {3137, 64},
                           {784, 256}, {130, 2048}, {200704, 64}, {65, 8448}};

TEST_P(NormVariants, ForwardEqualsDoublePrecision) {
  for (const auto& [rows, channels] : kSizes) {
    const Numbers n(rows, channels, GetParam());
    const at::Tensor x = n.x.to(at::kDouble);
    const at::Tensor mean = x.mean(0);
    const at::Tensor variance = (x - mean).pow(2).mean(0);
    const at::Tensor rstd = (variance + kEpsilon).rsqrt();
    for (const bool residual : {false, true}) {
      for (const bool relu : {false, true}) {
        at::Tensor y = (x - mean) * rstd * n.gamma + n.beta;
        if (residual) y = y + n.residual;
        if (relu) y = at::relu(y);
        for (const Plan& plan : plans_of(n.shape, Pass::forward)) {
          SCOPED_TRACE(testing::Message()
                       << rows << " × " << channels << ", " << words(plan) << (relu ? ", relu" : "")
                       << (residual ? ", residual" : ""));
          const Forward out = forward(n, relu, residual, plan);
          EXPECT_LT(difference(out.y, y), allowed());
          EXPECT_LT(difference(out.mean, mean), 1e-5);
          EXPECT_LT(difference(out.rstd, rstd), 1e-5);
          EXPECT_LT(difference(out.running_mean, (1 - kMomentum) * kRunningMean + kMomentum * mean),
                    1e-5);
          const double unbiased = static_cast<double>(rows) / static_cast<double>(rows - 1);
          EXPECT_LT(difference(out.running_var, 1 - kMomentum + kMomentum * unbiased * variance),
                    1e-5);
        }
      }
    }
  }
}

struct BackCase {
  bool relu, residual, two;
};
constexpr BackCase kBackCases[] = {{false, false, false}, {true, false, false},
                                   {false, true, false},  {false, true, true},
                                   {true, true, false},   {true, true, true}};

TEST_P(NormVariants, BackwardEqualsDoublePrecision) {
  for (const auto& [rows, channels] : kSizes) {
    const Numbers n(rows, channels, GetParam());
    const at::Tensor x = n.x.to(at::kDouble);
    for (const auto& [relu, residual, two] : kBackCases) {
      // The last forward plan: its bits are those of the single kernel, if that fits.
      const Forward saved = forward(n, relu, residual, plans_of(n.shape, Pass::forward).back());
      at::Tensor g = n.dy.to(at::kDouble);
      if (two) g = g + n.more;
      // Uses the gate of y: numbers near 0 may pass only because of rounding.
      if (relu) g = g * (saved.y > 0);
      const at::Tensor normed = (x - saved.mean) * saved.rstd;
      const at::Tensor dbeta = g.sum(0);
      const at::Tensor dgamma = (g * normed).sum(0);
      const auto count = static_cast<double>(rows);
      const at::Tensor dx = (g - dbeta / count - normed * dgamma / count) * saved.rstd * n.gamma;
      for (const Plan& plan : plans_of(n.shape, Pass::backward)) {
        SCOPED_TRACE(testing::Message()
                     << rows << " × " << channels << ", " << words(plan) << (relu ? ", relu" : "")
                     << (residual ? ", residual" : "") << (two ? ", two" : ""));
        const Backward out = backward(n, saved, relu, residual, two, plan);
        EXPECT_LT(difference(out.dx, dx), 2 * allowed());
        EXPECT_LT(difference(out.dgamma, dgamma), 1e-4);
        EXPECT_LT(difference(out.dbeta, dbeta), 1e-4);
        if (residual) {
          EXPECT_LT(difference(out.dresidual, g), allowed());
        }
      }
    }
  }
}

TEST_P(NormVariants, EveryPlanIsDeterministic) {
  const Numbers n(3137, 128, GetParam());
  for (const Plan& plan : plans_of(n.shape, Pass::backward)) {
    const Forward first = forward(n, true, true, plan);
    const Forward second = forward(n, true, true, plan);
    EXPECT_TRUE(at::equal(first.y, second.y)) << words(plan);
    EXPECT_TRUE(at::equal(first.passed, second.passed)) << words(plan);
    EXPECT_TRUE(at::equal(backward(n, first, true, true, true, plan).dx,
                          backward(n, first, true, true, true, plan).dx))
        << words(plan);
  }
}

// Blocks of one launch must not read posts of another: different numbers, plans and block counts in
// sequence, without synchronisation, and as a replayed graph.
TEST_P(NormVariants, ConsecutiveLaunchesDoNotMixTheirSums) {
  std::vector<Numbers> layers;
  for (const auto& [rows, channels] : {Size{3137, 64}, {784, 256}, {3137, 64}, {130, 2048}}) {
    layers.emplace_back(rows, channels, GetParam());
  }
  std::vector<Forward> alone;
  for (const Numbers& n : layers) {
    alone.push_back(forward(n, true, false, kernels::held_plan(n.shape, Pass::forward)));
    torch::cuda::synchronize();
  }
  std::vector<Forward> found;
  const auto all_of_them = [&] {
    found.clear();
    for (const Numbers& n : layers) {
      found.push_back(forward(n, true, false, kernels::held_plan(n.shape, Pass::forward)));
    }
  };
  const auto expect_the_same = [&] {
    torch::cuda::synchronize();
    for (std::size_t i = 0; i < layers.size(); ++i) {
      EXPECT_TRUE(at::equal(found[i].y, alone[i].y)) << i;
      EXPECT_TRUE(at::equal(found[i].rstd, alone[i].rstd)) << i;
    }
  };
  for (int round = 0; round < 50; ++round) all_of_them();
  expect_the_same();
  const c10::cuda::CUDAStreamGuard aside(c10::cuda::getStreamFromPool());
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  all_of_them();
  graph.capture_end();
  for (int round = 0; round < 50; ++round) graph.replay();
  expect_the_same();
}

// NaN passes a ReLU.
TEST_P(NormVariants, AReluPassesNaN) {
  Numbers n(129, 64, GetParam());
  n.x.select(1, 5).fill_(std::numeric_limits<double>::quiet_NaN());
  for (const Plan& plan : plans_of(n.shape, Pass::forward)) {
    const at::Tensor y = forward(n, true, false, plan).y;
    EXPECT_TRUE(at::isnan(y.select(1, 5)).all().item<bool>()) << words(plan);
    EXPECT_FALSE(at::isnan(y.select(1, 4)).any().item<bool>()) << words(plan);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, NormVariants,
                         testing::Values(at::kFloat, at::kBFloat16, at::kHalf));

// A layer of 12 MB is one kernel, one of 411 MB is three.
TEST(NormVariant, IsOneKernelUnlessTheLayerIsLarge) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  const kernels::Rows small{.rows = 12544, .channels = 512, .type = kernels::DataType::bf16};
  const kernels::Rows large{.rows = 802816, .channels = 256, .type = kernels::DataType::bf16};
  // 103 MB: one kernel only in forward without a residual.
  const kernels::Rows middle{.rows = 802816, .channels = 64, .type = kernels::DataType::bf16};
  const auto shared = at::cuda::getCurrentDeviceProperties()->sharedMemPerBlockOptin;
  const auto processors = at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  if (shared * processors > (25 << 20) && shared * processors < (50 << 20)) {
    EXPECT_TRUE(kernels::choose_held_plan(middle, Pass::forward, false));
    EXPECT_FALSE(kernels::choose_held_plan(middle, Pass::forward, true));
    EXPECT_FALSE(kernels::choose_held_plan(middle, Pass::backward, false));
  }
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (const bool residual : {false, true}) {
      EXPECT_TRUE(kernels::choose_held_plan(small, pass, residual));
      EXPECT_FALSE(kernels::choose_held_plan(large, pass, residual));
    }
  }
}

}  // namespace
}  // namespace tacho::fused
