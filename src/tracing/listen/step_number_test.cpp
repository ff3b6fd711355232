#include "tracing/listen/step_number.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace tacho {
namespace {

std::optional<std::int64_t> step_in(std::string_view line) {
  const auto number = step_number_of(line);
  return number ? std::optional(number->step) : std::nullopt;
}

TEST(StepNumber, FollowsAWord) {
  EXPECT_EQ(step_in("step 120 loss=0.4"), 120);
  EXPECT_EQ(step_in("iter 10: loss 4.1, time 30.1ms, mfu 5%"), 10);
  EXPECT_EQ(step_in("Step: [120/500] loss 0.3"), 120);
  EXPECT_EQ(step_in("epoch 2, batch 7/90, loss: 0.3"), 7);
  EXPECT_EQ(step_in(R"({"loss": 0.5, "global_step": 30})"), 30);
  EXPECT_EQ(step_in("[12:00:01] train | Iteration #40 | 3.2 it/s"), 40);
}

TEST(StepNumber, IsTheBatchOfAnEpoch) {
  EXPECT_EQ(step_in("Epoch: [0][ 120/5005]\tTime  0.500 ( 0.91)\tLoss 6.9e+00"), 120);
  EXPECT_EQ(step_in("[3/25][50/1583]\tLoss_D: 0.2 Loss_G: 3.1"), 50);
}

TEST(StepNumber, IsThatOfAProgressBar) {
  EXPECT_EQ(step_in(" 12%|█▏        | 120/1000 [00:12<01:28,  9.92it/s]"), 120);
  EXPECT_EQ(step_in("Epoch 0:   3%|▎ | 9/300 [00:20<11:01,  2.27s/it, v_num=0, loss=1.2]"), 9);
}

TEST(StepNumber, TellsTrainingFromEvaluation) {
  EXPECT_NE(step_number_of("step 10: loss 4.1")->series,
            step_number_of("step 10: val loss 4.1")->series);
  EXPECT_NE(step_number_of("| 1/10 [00:01<00:09, 1.0it/s]")->series,
            step_number_of("| 1/20 [00:01<00:09, 1.0it/s]")->series);
  EXPECT_EQ(step_number_of("step 10: loss 4.1")->series,
            step_number_of("step 2500: loss 4.1e-2")->series);
}

TEST(StepNumber, IsNotFoundElsewhere) {
  for (const char* line :
       {"", "step", "step time 3.5 ms", "step_time=3", "a stepping 5", "step 3.5", "step -1",
        "batch 10ms", "footstep 5", "[13/422] Building CXX object", "epoch [3/10]",
        "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.3", "100%|##| 9.91M/9.91M [00:01<00:00, 5MB/s]",
        "Map: 100%|##| 1000/1000 [00:01<00:00, 900 examples/s]", "step 99999999999999999999"}) {
    EXPECT_EQ(step_in(line), std::nullopt) << line;
  }
}

TEST(StepNumber, OfAnyBytesIsReadWithinThem) {
  auto random = Random::scattered(1);
  const std::string_view parts = "0123456789/[]step iterbatch#:=%|<,s\t";
  for (int i = 0; i < 20'000; ++i) {
    std::string line;
    while (line.size() < 40) {
      line +=
          parts[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(parts.size())))];
    }
    const auto number = step_number_of(line);
    EXPECT_GE(number ? number->step : 0, 0);
  }
}

}  // namespace
}  // namespace tacho
