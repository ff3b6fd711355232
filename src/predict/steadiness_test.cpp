#include "predict/steadiness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tacho {
namespace {

constexpr double kNodes = 4;

Lesson lesson(double batch, double error, double nodes = 1) {
  Lesson out;
  out.point.labels[Label::stack] = "a cluster";
  out.point.labels[Label::model] = "net";
  out.point.labels[Label::gpu] = "G";
  out.point.batch = batch;
  out.error = error;
  out.nodes = nodes;
  return out;
}

// Eight batches whose errors fall, and are off the line by so much to either side in turn.
std::vector<Lesson> series(double off) {
  std::vector<Lesson> out;
  for (int i = 0; i < 8; ++i) {
    out.push_back(lesson(std::exp2(i), -0.3 * i + (i % 2 == 0 ? off : -off)));
  }
  return out;
}

TEST(Steadiness, TellsWhatJumpsFromWhatOnlyFalls) {
  EXPECT_TRUE(Steadiness::learn(series(0.1)).jumps(lesson(2, 0).point));
  EXPECT_FALSE(Steadiness::learn(series(0.05)).jumps(lesson(2, 0).point));
  EXPECT_FALSE(Steadiness::learn(series(0)).jumps(lesson(2, 0).point));
}

TEST(Steadiness, IsOfAModelOnAGpuWithASoftware) {
  const Steadiness steadiness = Steadiness::learn(series(0.1));
  for (const Label label : {Label::stack, Label::model, Label::gpu}) {
    JobPoint other = lesson(2, 0).point;
    other.labels[label] = "other";
    EXPECT_FALSE(steadiness.jumps(other));
  }
}

TEST(Steadiness, MeasuredOnSeveralNodesItIsKnown) {
  std::vector<Lesson> lessons = series(0.1);
  lessons.push_back(lesson(2, 0, kNodes));
  EXPECT_FALSE(Steadiness::learn(lessons).jumps(lesson(2, 0).point));
}

TEST(Steadiness, JobsThatDifferByMoreThanTheirBatchAreNoSeries) {
  std::vector<Lesson> lessons = series(0.1);
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    lessons[i].point.gpus = i % 2 == 0 ? 1 : 8;
  }
  EXPECT_FALSE(Steadiness::learn(lessons).jumps(lesson(2, 0).point));
}

TEST(Steadiness, AFewBatchesTellNothing) {
  std::vector<Lesson> lessons = series(0.5);
  lessons.resize(6);
  EXPECT_FALSE(Steadiness::learn(lessons).jumps(lesson(2, 0).point));
}

}  // namespace
}  // namespace tacho
