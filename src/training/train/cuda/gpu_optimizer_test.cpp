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

}  // namespace
}  // namespace tacho::fused
