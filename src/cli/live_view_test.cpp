#include "cli/live_view.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

RunSpec spec() {
  RunSpec spec;
  spec.batch = 64;
  spec.epochs = 3;
  return spec;
}

TEST(LiveState, ShowsTheStageBeforeTheFirstStep) {
  const RunSpec asked = spec();
  LiveState state(asked);
  EXPECT_EQ(state.line(), "starting");
  state.add({1, RunStarted{}});
  EXPECT_EQ(state.line(), "loading data");
  state.add({2, InputReady{60000, 10000, 10, 938, 0.2}});
  state.add({3, ModelReady{1000, 0.1}});
  EXPECT_EQ(state.line(), "first step");
}

TEST(LiveState, FitsEightyColumnsAndCountsDown) {
  const RunSpec asked = spec();
  LiveState state(asked);
  state.add({2, InputReady{60000, 10000, 10, 938, 0.2}});
  EpochDone first;
  first.top1 = 0.851;
  first.eval_seconds = 2;
  state.add({3, first});
  state.add({4, StepsDone{2, 939 + 411, 0, {0.05}, {0.001}, {0.412}}});
  EXPECT_EQ(state.line(),
            "epoch 2/3  412/938  loss 0.412  top-1 85.1 %  1,280 samples/s  1:18 left");
  EXPECT_LE(state.line().size(), 79U);
}

TEST(LiveState, AResumedRunStartsWhereItStopped) {
  const RunSpec asked = spec();
  LiveState state(asked);
  RunStarted again;
  again.attempt = 2;
  again.resumed_epochs = 2;
  state.add({1, again});
  state.add({2, InputReady{640, 64, 10, 10, 0.2}});
  state.add({4, StepsDone{3, 21, 0, {0.5}, {0.001}, {0.4}}});
  EXPECT_EQ(state.line(), "epoch 3/3  1/10  loss 0.400  128 samples/s  0:05 left");
}

}  // namespace
}  // namespace tacho
