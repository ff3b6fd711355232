#include "core/record/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/record/run_record.h"
#include "core/record/run_secrets.h"

namespace tacho {
namespace {

RunOrder order_in_a_container() {
  RunSpec spec;
  spec.model = "mlp";
  spec.data = "synthetic";
  RunOrder order = new_order(spec);
  order.environment = {.kind = EnvironmentKind::podman, .image = "localhost/x", .cpus = 1.5};
  order.time_limit_s = 90;
  return order;
}

TEST(RunFolder, KeepsTheEnvironmentAndTheTimeLimit) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path() / "run");
  const RunOrder order = order_in_a_container();
  ASSERT_TRUE(folder.create(order).ok());
  const auto read = folder.read_order();
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->environment, order.environment);
  EXPECT_EQ(read->time_limit_s, 90);
}

TEST(RunFolder, AnOrderOfAVersionWithoutEnvironmentsIsBare) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path() / "run");
  ASSERT_TRUE(folder.create(order_in_a_container()).ok());
  Json json = *parse_json(*read_file(folder.order()));
  json.erase("environment");
  json.erase("time_limit_s");
  ASSERT_TRUE(write_file_atomically(folder.order(), json_text(json)).ok());
  const auto read = folder.read_order();
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->environment, EnvironmentSpec{});
  EXPECT_EQ(read->time_limit_s, std::nullopt);
}

RunOrder order_with_secrets() {
  RunOrder order = new_order(CommandSpec{.argv = {"train", "--token", "abc", "HF_TOKEN=xyz"}});
  order.environment.variables = {{"THREADS", "4"}, {"PASSWORD", "hunter2"}};
  return order;
}

TEST(RunFolder, KeepsSecretsInASeparateFile) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path() / "run");
  const RunOrder order = order_with_secrets();
  ASSERT_TRUE(folder.create(order).ok());
  const std::string shown = *read_file(folder.order());
  for (const char* secret : {"abc", "xyz", "hunter2", "\"4\""}) {
    EXPECT_EQ(shown.find(secret), std::string::npos) << secret;
  }
  const auto read = folder.read_order();
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_THAT(read->command->argv, testing::ElementsAre("train", "--token", "***", "HF_TOKEN=***"));
  EXPECT_EQ(read->environment.variables.at("PASSWORD"), "***");
  const auto whole = read_true_order(folder);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(whole->command, order.command);
  EXPECT_EQ(whole->environment, order.environment);
}

TEST(RunFolder, IsReadableOnlyByItsUser) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path() / "run");
  ASSERT_TRUE(folder.create(order_with_secrets()).ok());
  const auto rights = [](const std::filesystem::path& path) {
    return static_cast<unsigned>(std::filesystem::status(path).permissions());
  };
  EXPECT_EQ(rights(folder.path()), 0700U);
  EXPECT_EQ(rights(folder.path() / kSecretsFile), 0600U);
}

TEST(RunFolder, DoesNotExecuteARunWithMaskedSecrets) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path() / "run");
  ASSERT_TRUE(folder.create(order_with_secrets()).ok());
  std::filesystem::remove(folder.path() / kSecretsFile);
  EXPECT_TRUE(folder.read_order().ok());
  EXPECT_EQ(read_true_order(folder).error().code, ErrorCode::usage);
}

TEST(RunFolder, AnOrderWithoutSecretsHasNoSecretsFile) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path() / "run");
  ASSERT_TRUE(folder.create(order_in_a_container()).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / kSecretsFile));
}

TEST(RunRecord, ContainsNoSecret) {
  const std::string text = json_text(to_json(fold(order_with_secrets(), {})));
  for (const char* secret : {"abc", "xyz", "hunter2"}) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret;
  }
}

// The engine starts at 100 s, the worker loads its libraries from 101 s on.
std::vector<Event> events_in_a_container() {
  RunEnded ended;
  ended.outcome = Outcome::cancelled;
  ended.wall_seconds = 6;
  ended.minor_faults = 7;
  return {{100, EnvironmentFacts{"podman", "4.3.1", "localhost/x", "sha256:0123456789abcdef"}},
          {101.5, RunStarted{}},
          {102, ModelReady{}},
          {107.5, ended},
          {108, EnvironmentExited{.began = 100, .entered = 101, .ended = 107.75, .left = 108}}};
}

double figure(const RunRecord& record, const Metric& wanted) {
  for (const auto& [metric, value] : metrics_of(record)) {
    if (metric->key == wanted.key) return value;
  }
  return -1;
}

TEST(Fold, SeparatesTheTimesOfImageProcessAndRun) {
  const RunRecord record = fold(order_in_a_container(), events_in_a_container());
  EXPECT_EQ(figure(record, metric::kImageStartS), 1);
  EXPECT_EQ(figure(record, metric::kProcessStartS), 0.5);
  EXPECT_EQ(figure(record, metric::kStartupS), 0.5);
  EXPECT_EQ(figure(record, metric::kWallS), 6);
  EXPECT_EQ(figure(record, metric::kImageEndS), 0.25);
  EXPECT_EQ(figure(record, metric::kTotalS), 8);
  EXPECT_EQ(figure(record, metric::kMinorFaults), 7);
  EXPECT_EQ(record.started->host.environment, "podman");
  EXPECT_EQ(record.started->host.image_digest, "sha256:0123456789abcdef");
  EXPECT_EQ(in_words(*record.environment),
            "podman 4.3.1, image localhost/x (sha256:0123456789ab…)");
  const Json json = to_json(record);
  const auto again = run_record_from_json(json);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(json_text(to_json(*again)), json_text(json));
}

TEST(RunRecord, ReadsTheFormerNamesOfTheEnvironmentsTimes) {
  const Json json = to_json(fold(order_in_a_container(), events_in_a_container()));
  Json former = json;
  former.erase("environment_exited");
  former.erase("environment_seconds");
  former["stay"] = json.at("environment_exited");
  former["stays_seconds"] = json.at("environment_seconds");
  const auto read = run_record_from_json(former);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(json_text(to_json(*read)), json_text(json));
}

TEST(Fold, AnAttemptThatNeverBeganHasNoProcessStart) {
  auto events = events_in_a_container();
  events.push_back({200, EnvironmentFacts{"podman", "4.3.2", "localhost/x", ""}});
  events.push_back({201, EnvironmentExited{.began = 200, .left = 201}});
  const RunRecord record = fold(order_in_a_container(), events);
  EXPECT_EQ(figure(record, metric::kImageStartS), -1);
  EXPECT_EQ(figure(record, metric::kProcessStartS), -1);
  EXPECT_EQ(figure(record, metric::kTotalS), 9);
}

TEST(Fold, ARunThatEndsAtItsTimeLimitIsNotCancelled) {
  auto events = events_in_a_container();
  events.insert(events.begin() + 3, {107, TimeLimitReached{90}});
  const RunRecord late = fold(order_in_a_container(), events);
  EXPECT_EQ(late.outcome, Outcome::timed_out);
  EXPECT_EQ(late.reason, "ended at its time limit of 1 min 30 s");
  std::get<RunEnded>(events[4].body).outcome = Outcome::ok;
  EXPECT_EQ(fold(order_in_a_container(), events).outcome, Outcome::ok);
}

TEST(Fold, ATimeLimitMayPassBeforeTheFirstEventOfTheWorker) {
  auto events = events_in_a_container();
  events.insert(events.begin() + 1, {101, TimeLimitReached{1}});
  EXPECT_EQ(fold(order_in_a_container(), events).outcome, Outcome::timed_out);
}

}  // namespace
}  // namespace tacho
