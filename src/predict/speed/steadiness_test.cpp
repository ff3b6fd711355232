#include "predict/speed/steadiness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tacho {
namespace {

constexpr double kNodes = 4;

TrainingExample example(double batch, double error, double nodes = 1) {
  TrainingExample out;
  out.point.labels[Label::stack] = "a cluster";
  out.point.labels[Label::model] = "net";
  out.point.labels[Label::gpu] = "G";
  out.point.batch = batch;
  out.error = error;
  out.nodes = nodes;
  return out;
}

// Eight batches with falling errors, alternating around the line by `off`.
std::vector<TrainingExample> series(double off) {
  std::vector<TrainingExample> out;
  for (int i = 0; i < 8; ++i) {
    out.push_back(example(std::exp2(i), -0.3 * i + (i % 2 == 0 ? off : -off)));
  }
  return out;
}

TEST(Steadiness, DistinguishesIrregularFromFallingErrors) {
  EXPECT_TRUE(Steadiness::learn(series(0.1)).jumps(example(2, 0).point));
  EXPECT_FALSE(Steadiness::learn(series(0.05)).jumps(example(2, 0).point));
  EXPECT_FALSE(Steadiness::learn(series(0)).jumps(example(2, 0).point));
}

TEST(Steadiness, IsPerModelGpuAndSoftware) {
  const Steadiness steadiness = Steadiness::learn(series(0.1));
  for (const Label label : {Label::stack, Label::model, Label::gpu}) {
    JobPoint other = example(2, 0).point;
    other.labels[label] = "other";
    EXPECT_FALSE(steadiness.jumps(other));
  }
}

TEST(Steadiness, IgnoresProgramsMeasuredOnSeveralNodes) {
  std::vector<TrainingExample> examples = series(0.1);
  examples.push_back(example(2, 0, kNodes));
  EXPECT_FALSE(Steadiness::learn(examples).jumps(example(2, 0).point));
}

TEST(Steadiness, ASeriesDiffersOnlyInTheBatch) {
  std::vector<TrainingExample> examples = series(0.1);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].point.gpus = i % 2 == 0 ? 1 : 8;
  }
  EXPECT_FALSE(Steadiness::learn(examples).jumps(example(2, 0).point));
}

TEST(Steadiness, NeedsEnoughBatches) {
  std::vector<TrainingExample> examples = series(0.5);
  examples.resize(6);
  EXPECT_FALSE(Steadiness::learn(examples).jumps(example(2, 0).point));
}

}  // namespace
}  // namespace tacho
