#include "core/emit/mllog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_object.h"

namespace tacho {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kMark = ":::MLLOG ";

RunOrder order() {
  RunOrder order{"20260101-000000-abcdef", 1000, {}};
  order.spec.seed = 7;
  order.spec.batch = 128;
  order.spec.optimizer.kind = OptimizerKind::adamw;
  order.spec.optimizer.learning_rate = 0.001;
  return order;
}

EpochDone epoch(std::int64_t number, double top1) {
  EpochDone done;
  done.epoch = number;
  done.train_seconds = 10;
  done.top1 = top1;
  done.eval_seconds = 2.5;
  return done;
}

RunEnded ended(Outcome outcome) {
  RunEnded end;
  end.outcome = outcome;
  return end;
}

std::vector<Event> whole_run() {
  return {{1000.25, RunStarted{}},   {1001, InputReady{60000, 10000, 10, 469, 0.5}},
          {1002, ModelReady{}},      {1004, StepsDone{1, 1, 0, {1}, {0}, {2}}},
          {1014.5, epoch(1, 0.875)}, {1014.75, CheckpointWritten{}},
          {1014.75, Note{"hello"}},  {1015, ended(Outcome::ok)}};
}

std::vector<std::string> lines_of(const std::vector<Event>& events) {
  MllogWriter writer(order());
  std::vector<std::string> all;
  for (const Event& event : events) {
    const auto lines = writer.lines(event);
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

TEST(MllogWriter, WritesACompleteRun) {
  EXPECT_EQ(
      fmt::format("{}\n", fmt::join(lines_of(whole_run()), "\n")),
      R"(:::MLLOG {"namespace": "", "time_ms": 1000250, "event_type": "INTERVAL_START", "key": "init_start", "value": null, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1000250, "event_type": "POINT_IN_TIME", "key": "seed", "value": 7, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1000250, "event_type": "POINT_IN_TIME", "key": "global_batch_size", "value": 128, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1000250, "event_type": "POINT_IN_TIME", "key": "opt_name", "value": "adamw", "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1000250, "event_type": "POINT_IN_TIME", "key": "opt_base_learning_rate", "value": 0.001, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1001000, "event_type": "POINT_IN_TIME", "key": "train_samples", "value": 60000, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1001000, "event_type": "POINT_IN_TIME", "key": "eval_samples", "value": 10000, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1002000, "event_type": "INTERVAL_END", "key": "init_stop", "value": null, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1002000, "event_type": "INTERVAL_START", "key": "run_start", "value": null, "metadata": {}}
:::MLLOG {"namespace": "", "time_ms": 1002000, "event_type": "INTERVAL_START", "key": "epoch_start", "value": null, "metadata": {"epoch_num": 1}}
:::MLLOG {"namespace": "", "time_ms": 1012000, "event_type": "INTERVAL_END", "key": "epoch_stop", "value": null, "metadata": {"epoch_num": 1}}
:::MLLOG {"namespace": "", "time_ms": 1012000, "event_type": "INTERVAL_START", "key": "eval_start", "value": null, "metadata": {"epoch_num": 1}}
:::MLLOG {"namespace": "", "time_ms": 1014500, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": 0.875, "metadata": {"epoch_num": 1}}
:::MLLOG {"namespace": "", "time_ms": 1014500, "event_type": "INTERVAL_END", "key": "eval_stop", "value": null, "metadata": {"epoch_num": 1}}
:::MLLOG {"namespace": "", "time_ms": 1015000, "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata": {"status": "success"}}
)");
}

TEST(MllogWriter, EveryLineIsThePrefixAndOneJsonObject) {
  for (const std::string& line : lines_of(whole_run())) {
    ASSERT_THAT(line, StartsWith(kMark));
    const auto json = parse_json(line.substr(kMark.size()));
    ASSERT_TRUE(json.ok()) << line;
    EXPECT_THAT(*json, SizeIs(6)) << line;
  }
}

std::string status_at_the_end(const RunOrder& order, double top1, Outcome outcome) {
  MllogWriter writer(order);
  writer.lines({1, ModelReady{}});
  writer.lines({2, epoch(1, top1)});
  const auto lines = writer.lines({3, ended(outcome)});
  const auto json = parse_json(lines.at(0).substr(kMark.size()));
  return (*json)["metadata"]["status"].get<std::string>();
}

TEST(MllogWriter, SuccessIsAnEndThatReachedItsTarget) {
  RunOrder wanted = order();
  EXPECT_EQ(status_at_the_end(wanted, 0.5, Outcome::ok), "success");
  EXPECT_EQ(status_at_the_end(wanted, 0.5, Outcome::cancelled), "aborted");
  wanted.spec.target_top1 = 0.75;
  EXPECT_EQ(status_at_the_end(wanted, 0.75, Outcome::ok), "success");
  EXPECT_EQ(status_at_the_end(wanted, 0.74, Outcome::ok), "aborted");
}

TEST(MllogWriter, DoesNotStopARunThatNeverBegan) {
  MllogWriter writer(order());
  writer.lines({1, RunStarted{}});
  EXPECT_THAT(writer.lines({2, ended(Outcome::failed)}), IsEmpty());
}

}  // namespace
}  // namespace tacho
