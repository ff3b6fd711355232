#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "training/train/cuda/test_on_gpu.h"
#include "training/train/optimizer.h"

namespace tacho::fused {
namespace {

// Compares ten steps of each optimizer on the GPU and on the CPU, which is compared with
// torch.optim elsewhere.
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

// The head has ten times the learning rate; the rest of the first layer is frozen.
TEST(OptimizerOnGpu, HasTwoLearningRatesAndFrozenParameters) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw}) {
    torch::manual_seed(3);
    torch::nn::Sequential on_cpu(torch::nn::Linear(40, 30), torch::nn::Linear(30, 20));
    torch::nn::Sequential on_gpu(torch::nn::Linear(40, 30), torch::nn::Linear(30, 20));
    for (std::size_t i = 0; i < 4; ++i) {
      on_gpu->parameters()[i].detach().copy_(on_cpu->parameters()[i].detach());
    }
    on_gpu->to(at::kCUDA);
    on_cpu->parameters()[0].set_requires_grad(false);
    on_gpu->parameters()[0].set_requires_grad(false);
    const at::Tensor frozen = on_gpu->parameters()[0].detach().clone();
    const OptimizerSpec spec{.kind = kind, .learning_rate = 0.01, .weight_decay = 1e-2};
    const Optimizer::Options options{
        .is_head = [](const std::string& name) { return name.starts_with("1."); },
        .head_factor = 10};
    Optimizer cpu(spec, *on_cpu, options);
    Optimizer gpu(spec, *on_gpu, options);
    for (int step = 0; step < 10; ++step) {
      const at::Tensor x = at::randn({16, 40});
      on_cpu->forward(x).pow(2).mean().backward();
      on_gpu->forward(x.cuda()).pow(2).mean().backward();
      cpu.step(spec.learning_rate);
      gpu.step(spec.learning_rate);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LT(difference(on_gpu->parameters()[i].cpu(), on_cpu->parameters()[i]), 1e-4);
    }
    EXPECT_TRUE(at::equal(on_gpu->parameters()[0], frozen));
  }
}

}  // namespace
}  // namespace tacho::fused
