#include "tracing/trace/step_finder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tracing/trace/test_trace.h"
#include "tracing/trace/test_training.h"

namespace tacho {
namespace {

FoundSteps steps_in(TestProgram& program) {
  const GpuTrace trace = program.trace();
  return find_steps(trace, facts_of_names(trace));
}

void expect_period(const FoundSteps& found, const StepClock& clock) {
  EXPECT_NEAR(found.period_s / clock.period_s(), 1, 1e-3);
}

TEST(StepFinder, FindsStepsOfAFusedOptimizerAndNotTheLayers) {
  TestProgram program;
  TestModel model{program};
  StepClock clock(program);
  for (int step = 0; step < 40; ++step) {
    clock.tick();
    model.input();
    model.forward();
    model.backward();
    model.fused_optimizer();
  }
  const FoundSteps found = steps_in(program);
  expect_period(found, clock);
  // The beginning of the first step and the end of the last are unknown.
  EXPECT_EQ(found.begins_ns.size(), 39U);
  EXPECT_EQ(found.kernels_per_step, 1 + 12 * 6 + 2 + 2 + 12 * 7 + 1 + 3);
  EXPECT_GT(found.confidence, 0.9);
  EXPECT_TRUE(found.outliers.empty());
  EXPECT_LT(found.jitter, 1e-3);
}

TEST(StepFinder, FindsStepsThatUpdateOneTensorAtATime) {
  TestProgram program;
  TestModel model{program};
  StepClock clock(program);
  for (int step = 0; step < 30; ++step) {
    clock.tick();
    model.input();
    model.forward();
    model.backward();
    model.plain_optimizer(50);
  }
  const FoundSteps found = steps_in(program);
  expect_period(found, clock);
  EXPECT_GT(found.confidence, 0.9);
}

TEST(StepFinder, FindsStepsWithoutAnOptimizer) {
  TestProgram program;
  TestModel model{program};
  StepClock clock(program);
  for (int step = 0; step < 30; ++step) {
    clock.tick();
    model.forward();
    model.backward();
  }
  const FoundSteps found = steps_in(program);
  expect_period(found, clock);
  EXPECT_EQ(found.kernels_per_step, 1 + 12 * 6 + 2 + 2 + 12 * 7 + 1);
}

TEST(StepFinder, IgnoresWarmUp) {
  TestProgram program;
  TestModel model{program};
  std::mt19937 random(5);
  for (int trial = 0; trial < 600; ++trial) {  // a library benchmarks its algorithms
    program.kernel("sm80_xmma_fprop_trial_" + std::to_string(random() % 40), 20 * kUs);
    if (trial % 50 == 0) program.sleep(5000 * kUs);
  }
  StepClock clock(program);
  for (int step = 0; step < 20; ++step) {
    clock.tick();
    model.forward();
    model.backward();
  }
  expect_period(steps_in(program), clock);
}

class Evaluations : public testing::TestWithParam<bool> {};

TEST_P(Evaluations, BetweenEpochsAreOutliersNotSteps) {
  TestProgram program;
  TestModel model{program};
  StepClock clock(program);
  constexpr int kEpochs = 6;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (int step = 0; step < 25; ++step) {
      clock.tick();
      model.input();
      model.forward();
      model.backward();
      if (GetParam()) model.fused_optimizer();
    }
    for (int batch = 0; batch < 12; ++batch) {
      model.input();
      model.forward();
      program.kernel("argmax_kernel", 5 * kUs);
      program.copy(CopyKind::device_to_host, 4, 2 * kUs);
      program.wait();
    }
  }
  const FoundSteps found = steps_in(program);
  expect_period(found, clock);
  EXPECT_EQ(found.outliers.size(), static_cast<std::size_t>(kEpochs - 1));
}
INSTANTIATE_TEST_SUITE_P(OptimizerByName, Evaluations, testing::Bool());

class Accumulation : public testing::TestWithParam<bool> {};

TEST_P(Accumulation, OfGradientsIsOneStep) {
  TestProgram program;
  TestModel model{program};
  StepClock clock(program);
  for (int step = 0; step < 20; ++step) {
    clock.tick();
    for (int micro = 0; micro < 8; ++micro) {
      model.input();
      model.forward();
      model.backward();
    }
    if (GetParam()) {
      model.fused_optimizer();
    } else {
      model.plain_optimizer(60);
    }
  }
  expect_period(steps_in(program), clock);
}
INSTANTIATE_TEST_SUITE_P(OptimizerByName, Accumulation, testing::Bool());

TEST(StepFinder, InputOfChangingLengthChangesShapesNotSteps) {
  TestProgram program;
  TestModel model{program};
  std::mt19937 random(3);
  StepClock clock(program);
  for (int step = 0; step < 101; ++step) {
    clock.tick();
    program.shape = program.new_shape(10 + random() % 100);
    model.scale = static_cast<std::int64_t>(5 + random() % 10) * kUs;
    model.gemm = random() % 2 == 0 ? "ampere_sgemm_128x64_tn" : "ampere_sgemm_64x64_tn";
    model.input();
    model.forward();
    model.backward();
    model.fused_optimizer();
  }
  const FoundSteps found = steps_in(program);
  EXPECT_EQ(found.begins_ns.size(), 100U);
  EXPECT_NEAR(found.period_s / clock.period_s(), 1, 0.01);  // two of the 101 steps are not found
}

TEST(StepFinder, ALoopOverWordsIsNotTheStep) {
  TestProgram program;
  StepClock clock(program);
  std::mt19937 random(9);
  for (int step = 0; step < 41; ++step) {
    clock.tick();
    const auto words = 60 + random() % 80;  // sentences differ
    for (unsigned word = 0; word < words; ++word) {
      program.kernel("ampere_sgemm_32x128_tn", 8 * kUs);
      program.kernel("lstm_cell_forward", 4 * kUs);
    }
    program.kernel("nll_loss_forward", 4 * kUs);
    for (unsigned word = 0; word < words; ++word) {
      program.kernel("lstm_cell_backward", 4 * kUs);
      program.kernel("ampere_sgemm_32x128_nn", 8 * kUs);
      program.kernel("ampere_sgemm_32x128_nt", 8 * kUs);
    }
    program.kernel(kAdam, 4 * kUs);
  }
  const FoundSteps found = steps_in(program);
  EXPECT_EQ(found.begins_ns.size(), 40U);
  EXPECT_NEAR(found.period_s / clock.period_s(), 1, 0.03);  // a median of 39 of 41 lengths
}

TEST(StepFinder, ALoopOverWordsWithoutOptimizerIsNotTheStep) {
  TestProgram program;
  StepClock clock(program);
  for (int step = 0; step < 30; ++step) {
    clock.tick();
    for (int word = 0; word < 100; ++word) {
      program.kernel("ampere_sgemm_32x128_tn", 8 * kUs);
      program.kernel("lstm_cell_forward", 4 * kUs);
    }
    program.kernel("nll_loss_forward", 4 * kUs);
    for (int word = 0; word < 100; ++word) {
      program.kernel("lstm_cell_backward", 4 * kUs);
      program.kernel("ampere_sgemm_32x128_nn", 8 * kUs);
      program.kernel("ampere_sgemm_32x128_nt", 8 * kUs);
    }
    for (int i = 0; i < 6; ++i) program.kernel(kAdd, 4 * kUs);
  }
  expect_period(steps_in(program), clock);
}

TEST(StepFinder, GraphsAreFoundByTheirKernels) {
  TestProgram program;
  StepClock clock(program);
  std::vector<std::pair<std::string, std::int64_t>> kernels;
  for (int i = 0; i < 50; ++i) {
    kernels.emplace_back("ampere_sgemm_" + std::to_string(i % 7), (10 + i) * kUs);
    kernels.emplace_back(kAdd, 3 * kUs);
  }
  for (int step = 0; step < 50; ++step) {
    clock.tick();
    program.graph(kernels);
  }
  const FoundSteps found = steps_in(program);
  expect_period(found, clock);
  EXPECT_EQ(found.kernels_per_step, 100);
}

TEST(StepFinder, ALogLineEveryTenStepsIsNotThePeriod) {
  for (const bool by_name : {false, true}) {
    TestProgram program;
    TestModel model{program};
    StepClock clock(program);
    for (int step = 0; step < 100; ++step) {
      clock.tick();
      model.input();
      model.forward();
      model.backward();
      if (step % 10 == 9) {
        program.kernel("reduce_kernel<512, 1, mean>", 5 * kUs);
        program.copy(CopyKind::device_to_host, 4, 2 * kUs);
      }
      if (by_name) model.fused_optimizer();
    }
    expect_period(steps_in(program), clock);
  }
}

TEST(StepFinder, AChangeOfAlgorithmKeepsTheStep) {
  TestProgram program;
  TestModel model{program};
  StepClock clock(program);
  for (int step = 0; step < 60; ++step) {
    clock.tick();
    if (step == 30) model.gemm = "ampere_sgemm_64x64_tn";
    model.input();
    model.forward();
    model.backward();
  }
  const FoundSteps found = steps_in(program);
  expect_period(found, clock);
  EXPECT_GE(found.begins_ns.size(), 58U);
}

TEST(StepFinder, TwoStreamsShareTheWork) {
  TestProgram program;
  StepClock clock(program);
  for (int step = 0; step < 30; ++step) {
    clock.tick();
    for (int i = 0; i < 40; ++i) {
      program.stream = i % 2 == 0 ? 7 : 8;
      program.kernel(i % 2 == 0 ? "ampere_sgemm_a" : "ampere_sgemm_b", (9 + i % 5) * kUs);
      if (i % 9 == 0) program.kernel("reduce_kernel<512, 1>_" + std::to_string(i), 6 * kUs);
    }
    program.stream = 7;
    program.join(8);
    program.kernel("cunn_SoftMaxForward", 4 * kUs);
  }
  expect_period(steps_in(program), clock);
}

TEST(StepFinder, TwoNetworksThatTakeTurnsAreOneStep) {
  TestProgram program;
  TestModel one{program, 12};
  StepClock clock(program);
  for (int step = 0; step < 30; ++step) {
    clock.tick();
    one.forward();
    one.backward();
    one.fused_optimizer();
    for (int i = 0; i < 60; ++i) {
      program.kernel("sm80_xmma_fprop_" + std::to_string(i % 9), 20 * kUs);
      program.kernel("leaky_relu_kernel", 5 * kUs);
    }
    one.fused_optimizer();
  }
  const FoundSteps found = steps_in(program);
  expect_period(found, clock);
}

TEST(StepFinder, ALongStepIsAnOutlier) {
  TestProgram program;
  TestModel model{program};
  for (int step = 0; step < 40; ++step) {
    if (step == 20) program.sleep(200'000 * kUs);
    model.forward();
    model.backward();
    model.fused_optimizer();
    program.wait();
  }
  const FoundSteps found = steps_in(program);
  EXPECT_EQ(found.outliers.size(), 1U);
}

TEST(StepFinder, FindsNoStepsInRandomKernels) {
  for (const unsigned names : {3U, 20U, 300U}) {
    TestProgram program;
    std::mt19937 random(names);
    for (int i = 0; i < 20000; ++i) {
      const unsigned which = random() % names;
      program.kernel((which % 3 == 0 ? "ampere_sgemm_" : "vectorized_elementwise_kernel_") +
                         std::to_string(which),
                     (1 + random() % 30) * kUs);
      if (which == 1 && random() % 20 == 0) program.kernel(kAdam, 3 * kUs);
    }
    const FoundSteps found = steps_in(program);
    EXPECT_TRUE(found.begins_ns.empty()) << names << " names, confidence " << found.confidence;
    EXPECT_EQ(found.confidence, 0) << names;
  }
}

TEST(StepFinder, FindsNoStepsInAnEmptyTrace) {
  EXPECT_TRUE(find_steps(GpuTrace{}, facts_of_names(GpuTrace{})).begins_ns.empty());
  TestProgram program;
  program.kernel("a", kUs);
  program.kernel("a", kUs);
  EXPECT_TRUE(steps_in(program).begins_ns.empty());
}

}  // namespace
}  // namespace tacho
