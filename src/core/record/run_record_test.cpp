#include "core/record/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

using testing::ElementsAre;

RunOrder order() {
  RunOrder order{"20260101-000000-abcdef", 1000, {}};
  order.spec.model = "lenet5";
  order.spec.data = "fashion-mnist";
  order.spec.batch = 10;
  return order;
}

StepsDone steps(std::int64_t epoch, std::int64_t warmup, std::vector<double> seconds) {
  StepsDone done{epoch,
                 1,
                 warmup,
                 seconds,
                 std::vector<double>(seconds.size(), 0.5),
                 std::vector<double>(seconds.size(), static_cast<double>(epoch))};
  return done;
}

EpochDone epoch(std::int64_t number, double top1) {
  EpochDone done;
  done.epoch = number;
  done.top1 = top1;
  done.train_seconds = 10;
  return done;
}

RunEnded ended(Outcome outcome, double wall) {
  RunEnded end;
  end.outcome = outcome;
  end.wall_seconds = wall;
  end.peak_memory_bytes = static_cast<std::int64_t>(wall);
  return end;
}

double value_of(const RunRecord& record, const Metric& metric) {
  for (const auto& [found, value] : metrics_of(record)) {
    if (found->key == metric.key) return value;
  }
  ADD_FAILURE() << "no " << metric.key;
  return 0;
}

TEST(Fold, KeepsWarmUpOutOfTheSteadyState) {
  const std::vector<Event> events = {
      {1, RunStarted{}},     {3, ModelReady{}},  {4, steps(1, 2, {9, 8, 1, 2, 3})},
      {5, steps(1, 0, {2})}, {6, epoch(1, 0.8)}, {7, ended(Outcome::ok, 6)}};
  const RunRecord record = fold(order(), events);
  EXPECT_EQ(record.outcome, Outcome::ok);
  EXPECT_THAT(record.steps.steady_seconds(), ElementsAre(1, 2, 3, 2));
  EXPECT_EQ(value_of(record, metric::kStepS), 2);
  EXPECT_EQ(value_of(record, metric::kSamplesPerS), 5);
  EXPECT_EQ(value_of(record, metric::kFirstStepS), 9);
  EXPECT_EQ(value_of(record, metric::kStartupS), 2);
  EXPECT_EQ(value_of(record, metric::kInputShare), 0.25);
}

TEST(Fold, AResumedAttemptReplacesWhatItRepeats) {
  RunStarted second;
  second.attempt = 2;
  second.resumed_epochs = 1;
  const std::vector<Event> events = {{1, RunStarted{}},   {2, steps(1, 0, {1, 1})},
                                     {3, epoch(1, 0.5)},  {4, steps(2, 0, {7})},  // killed here
                                     {10, second},        {12, steps(2, 0, {2, 2})},
                                     {13, epoch(2, 0.6)}, {14, ended(Outcome::ok, 4)}};
  const RunRecord record = fold(order(), events);
  EXPECT_THAT(record.steps.seconds, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(record.steps.loss, ElementsAre(1, 1, 2, 2));
  ASSERT_EQ(record.epochs.size(), 2U);
  EXPECT_EQ(value_of(record, metric::kTop1), 0.6);
  // 3 s of the killed attempt, up to its last event, and 4 of the second.
  EXPECT_EQ(value_of(record, metric::kWallS), 7);
}

TEST(Fold, ARunWithoutAnEndIsStillRunning) {
  const std::vector<Event> events = {{1, RunStarted{}}, {2, steps(1, 0, {1})}};
  const RunRecord record = fold(order(), events);
  EXPECT_EQ(record.outcome, Outcome::running);
  EXPECT_EQ(value_of(record, metric::kWallS), 1);
}

TEST(Fold, ASecondEndOfOneAttemptChangesNothing) {
  const std::vector<Event> events = {
      {1, RunStarted{}}, {7, ended(Outcome::cancelled, 6)}, {7, ended(Outcome::failed, 6)}};
  const RunRecord record = fold(order(), events);
  EXPECT_EQ(record.outcome, Outcome::cancelled);
  EXPECT_EQ(value_of(record, metric::kWallS), 6);
}

TEST(Fold, CountsTheSamplesOfAPartialBatch) {
  const std::vector<Event> events = {
      {1, RunStarted{}}, {2, InputReady{4, 4, 2, 1, 0.1}}, {4, steps(1, 0, {2})}};
  EXPECT_EQ(value_of(fold(order(), events), metric::kSamplesPerS), 2);
}

TEST(Fold, NoEventsMakeARecordWithoutMetrics) {
  const RunRecord record = fold(order(), {});
  EXPECT_EQ(value_of(record, metric::kStepsDone), 0);
  EXPECT_FALSE(record.started.has_value());
}

TEST(Fold, MarkedStepsTakePrecedenceOverThoseFoundInATrace) {
  const StepsFound marked{.steps = 10, .period_s = 0.5, .confidence = 1};
  const StepsFound found{.steps = 20, .period_s = 0.1, .kernels_per_step = 7, .confidence = 0.9};
  const std::vector<Event> both{{1, marked}, {2, found}};
  EXPECT_EQ(fold(order(), both).found_steps, marked);
  const std::vector<Event> later{{1, found}, {2, found}, {3, marked}};
  EXPECT_EQ(fold(order(), later).found_steps, marked);
}

TEST(Fold, ALaterDescriptionAddsToTheFirst) {
  const std::vector<Event> events{{1, RunDescribed{"base", "digits", {"a"}, {{"lr", "0.1"}}}},
                                  {2, RunDescribed{"", "", {}, {{"lr", "0.2"}, {"batch", "64"}}}}};
  const RunRecord record = fold(order(), events);
  EXPECT_EQ(record.described,
            (RunDescribed{"base", "digits", {"a"}, {{"batch", "64"}, {"lr", "0.2"}}}));
  const auto back = run_record_from_json(to_json(record));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->described, record.described);
}

TEST(RunRecord, SurvivesTheRoundTripThroughJson) {
  const std::vector<Event> events = {
      {1, RunStarted{}},       {2, InputReady{10, 5, 2, 1, 0.1}},
      {3, ModelReady{7, 0.1}}, {4, steps(1, 1, {9, 1.25})},
      {6, epoch(1, 0.8)},      {6, CheckpointWritten{1, "c", 3, 0.1}},
      {6, Note{"slow"}},       {7, ended(Outcome::ok, 6)}};
  const RunRecord record = fold(order(), events);
  const Json json = to_json(record);
  const auto back = run_record_from_json(*parse_json(json_text(json)));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(to_json(*back), json);
  EXPECT_EQ(back->steps, record.steps);
}

RanksReady two_ranks() { return {"shm", {{0, 0, "a", 40}, {1, 0, "a", 41}}, 0.5}; }

RanksDone reported(std::int64_t first_step, std::vector<double> seconds,
                   std::vector<std::int64_t> ranks = {0, 1}) {
  RanksDone done{first_step, {}};
  const std::vector<std::int64_t> bytes(seconds.size(), 8);
  for (const std::int64_t rank : ranks) {
    done.ranks.push_back({rank, seconds, seconds, seconds, seconds, seconds, bytes, bytes});
  }
  return done;
}

TEST(Fold, CountsTheSamplesOfAllRanks) {
  const std::vector<Event> events = {{1, RunStarted{}},
                                     {2, two_ranks()},
                                     {2, InputReady{100, 4, 2, 5, 0.1}},
                                     {4, steps(1, 0, {2})}};
  EXPECT_EQ(fold(order(), events).samples_per_step(), 20);
  EXPECT_EQ(value_of(fold(order(), events), metric::kSamplesPerS), 10);
  EXPECT_EQ(value_of(fold(order(), events), metric::kRanks), 2);
}

TEST(Fold, AResumedAttemptReplacesWhatItsRanksRepeat) {
  RunStarted second;
  second.attempt = 2;
  second.resumed_epochs = 1;
  std::vector<Event> events = {{1, RunStarted{}},
                               {1, two_ranks()},
                               {2, steps(1, 0, {1, 1})},
                               {2, reported(1, {1, 1, 7})},
                               {4, steps(2, 0, {7, 7})},
                               {5, reported(4, {7})},  // killed here
                               {10, second},
                               {11, two_ranks()},
                               {12, steps(2, 0, {2, 2})}};
  // Repeated steps are dropped even before the ranks report them.
  RunRecord record = fold(order(), events);
  ASSERT_EQ(record.rank_steps.size(), 2U);
  ASSERT_EQ(record.rank_steps[0].seconds.size(), 4U);
  EXPECT_EQ(record.rank_steps[0].seconds[1], 1);
  EXPECT_TRUE(std::isnan(record.rank_steps[0].seconds[2]));
  EXPECT_EQ(record.rank_steps[0].wire_bytes[2], 0);

  events.push_back({13, reported(3, {2, 2, 9})});
  record = fold(order(), events);
  EXPECT_THAT(record.rank_steps[1].seconds, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(record.rank_steps[1].wire_bytes, ElementsAre(8, 8, 8, 8));
}

TEST(Fold, ARunThatContinuesAsOneProcessHasNoRanks) {
  RunStarted second;
  second.attempt = 2;
  second.resumed_epochs = 1;
  std::vector<Event> events = {{1, RunStarted{}},
                               {1, two_ranks()},
                               {2, steps(1, 0, {1, 1})},
                               {2, reported(1, {1, 1})},
                               {10, second}};
  EXPECT_EQ(fold(order(), events).rank_steps.size(), 2U) << "it has not made a step yet";
  events.push_back({12, steps(2, 0, {2})});
  const RunRecord record = fold(order(), events);
  EXPECT_FALSE(record.ranks.has_value());
  EXPECT_TRUE(record.rank_steps.empty());
  EXPECT_EQ(record.samples_per_step(), 10);
}

TEST(RunRecord, RanksSurviveTheRoundTripThroughJson) {
  const std::vector<Event> events = {{1, RunStarted{}},
                                     {2, two_ranks()},
                                     {4, steps(1, 1, {9, 1.25, 2})},
                                     {5, reported(1, {9, 1.25})}};  // the third is not reported
  const RunRecord record = fold(order(), events);
  Json json = to_json(record);
  const auto back = run_record_from_json(*parse_json(json_text(json)));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->ranks, record.ranks);
  EXPECT_EQ(json_text(to_json(*back)), json_text(json));
  json["rank_steps"][1]["loss"] = 1;
  EXPECT_FALSE(run_record_from_json(json).ok());
  json["rank_steps"].erase(1);
  for (auto& [key, list] : json["rank_steps"][0].items()) {
    if (list.is_array()) list.erase(0);
  }
  EXPECT_EQ(run_record_from_json(json).error().message,
            "ranks: the lists differ in length from those of the run");
}

TEST(RunRecord, RefusesARecordOfANewerVersion) {
  Json json = to_json(fold(order(), {}));
  json["version"] = 99;
  EXPECT_EQ(run_record_from_json(json).error().code, ErrorCode::newer);
}

TEST(RunRecord, ADisturbedRunHasItsReasons) {
  UsageLog usage;
  usage.samples.resize(2);
  usage.samples[1].unix_seconds = 10;
  usage.samples[1].user_s = 6;
  usage.samples[1].waited_s = 6;
  usage.samples[1].others_s = 15;
  usage.facts = UsageFacts{.processors = 2, .threads = {}, .hardware = {}, .unavailable = {}};
  const RunRecord record = fold(RunOrder{}, {}, usage);
  const std::vector<std::string> why = {
      "other programs took 75 % of the processors, and a thread waited 50 % of its time for one"};
  EXPECT_EQ(record.disturbed, why);
  EXPECT_EQ(record.usage.at("disturbed"), 1);
  EXPECT_EQ(record.usage.at("waited"), 0.5);
  EXPECT_EQ(record.usage.at("others"), 0.75);
  usage.samples[1].others_s = 0;
  EXPECT_EQ(fold(RunOrder{}, {}, usage).usage.at("disturbed"), 0);
}

}  // namespace
}  // namespace tacho
