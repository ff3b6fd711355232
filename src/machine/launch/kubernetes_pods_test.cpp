#include "machine/launch/kubernetes_pods.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/json_object.h"
#include "base/mutation.h"

namespace tacho {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a pod in the format of the API server.
Json pod(int index, const char* phase, Json state = Json::object(), int made_at = 0) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", fmt::format("job-{}-at{}", index, made_at)},
        {"creationTimestamp", fmt::format("2026-03-01T10:{:02}:00Z", made_at)},
        {"annotations", {{"batch.kubernetes.io/job-completion-index", std::to_string(index)}}}}},
      {"spec", {{"nodeName", "node-7"}}},
      {"status",
       {{"phase", phase},
        {"containerStatuses", Json::array({{{"name", "task"}, {"state", state}}})}}}};
}

Json terminated(int code, const char* reason) {
  return {{"terminated", {{"exitCode", code}, {"reason", reason}}}};
}

std::string list(std::initializer_list<Json> pods) {
  return json_text({{"kind", "List"}, {"items", Json(pods)}});
}

TaskUpdate only(const Json& item) {
  const auto tasks = parse_pods(list({item}));
  if (!tasks.ok() || tasks->size() != 1) broken_invariant("not one task");
  return tasks->begin()->second.update;
}

TEST(Pods, ReportTheirNode) {
  const TaskUpdate update = only(pod(3, "Running", {{"running", Json::object()}}));
  EXPECT_EQ(update.state, TaskState::running);
  EXPECT_EQ(update.where, "node-7");
}

TEST(Pods, ReportWhyTheyWait) {
  const TaskUpdate pulling = only(
      pod(0, "Pending", {{"waiting", {{"reason", "ImagePullBackOff"}, {"message", "no x:1"}}}}));
  EXPECT_EQ(pulling.state, TaskState::waiting);
  EXPECT_EQ(pulling.reason, "ImagePullBackOff: no x:1");
  Json unplaced = pod(0, "Pending");
  unplaced["status"].erase("containerStatuses");
  unplaced["status"]["conditions"] =
      Json::array({{{"type", "PodScheduled"},
                    {"status", "False"},
                    {"reason", "Unschedulable"},
                    {"message", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."}}});
  EXPECT_THAT(only(unplaced).reason, HasSubstr("Insufficient nvidia.com/gpu"));
}

TEST(Pods, ThatRanOutOfMemoryHaveEndedEvenIfAnotherWasStarted) {
  for (const int again_at : {0, 5}) {  // created before or after it
    const auto tasks =
        parse_pods(list({pod(1, "Failed", terminated(137, "OOMKilled"), 3),
                         pod(1, "Running", {{"running", Json::object()}}, again_at)}));
    const TaskUpdate& update = tasks->at(1).update;
    EXPECT_EQ(update.state, TaskState::ended);
    EXPECT_EQ(update.ended_by, EndedBy::out_of_memory);
    EXPECT_EQ(update.status->signal, SIGKILL);
    EXPECT_THAT(tasks->at(1).pods, ElementsAre(fmt::format("job-1-at{}", again_at)));
  }
}

TEST(Pods, ThatWereEvictedAreReplacedWhileTheJobRuns) {
  Json evicted = pod(2, "Failed");
  evicted["status"]["reason"] = "Evicted";
  evicted["status"]["message"] = "The node was low on resource: memory.";
  const TaskUpdate update = only(evicted);
  EXPECT_EQ(after_job(update, {}).state, TaskState::waiting);
  EXPECT_THAT(update.reason, HasSubstr("Evicted: The node was low"));
  const TaskUpdate last = after_job(update, {.failed = true, .reason = "BackoffLimitExceeded"});
  EXPECT_EQ(last.state, TaskState::lost);
  EXPECT_THAT(last.reason, HasSubstr("the job has failed: BackoffLimitExceeded"));
}

TEST(Pods, WhoseTakeTaskFailedEndWithTheJob) {
  const TaskUpdate update = only(pod(0, "Failed", terminated(1, "Error")));
  const TaskUpdate last = after_job(update, {.failed = true, .reason = "BackoffLimitExceeded"});
  EXPECT_EQ(last.state, TaskState::ended);
  EXPECT_EQ(last.status->code, 1);
}

TEST(Pods, OfALostNodeAreLost) {
  Json lost = pod(0, "Running", {{"running", Json::object()}});
  lost["status"]["reason"] = "NodeLost";
  EXPECT_EQ(only(lost).state, TaskState::lost);
  EXPECT_THAT(only(lost).reason, HasSubstr("node-7 does not answer"));
}

TEST(Pods, TheNewestOfATaskCounts) {
  const auto tasks = parse_pods(list({pod(0, "Running", {{"running", Json::object()}}, 9),
                                      pod(0, "Failed", terminated(1, "Error"), 4)}));
  EXPECT_EQ(tasks->at(0).update.state, TaskState::running);
}

TEST(Jobs, ReportWhetherTheyHaveEnded) {
  const auto job = [](const char* type, const char* status) {
    return json_text(
        {{"status",
          {{"conditions",
            Json::array(
                {{{"type", type}, {"status", status}, {"reason", "R"}, {"message", "m"}}})}}}});
  };
  EXPECT_TRUE(parse_job(job("Complete", "True"))->complete);
  EXPECT_FALSE(parse_job(job("Complete", "False"))->complete);
  EXPECT_EQ(parse_job(job("Failed", "True"))->reason, "R: m");
  EXPECT_FALSE(parse_job(R"({"status":{}})")->failed);
  EXPECT_FALSE(parse_job("[]").ok());
}

TEST(Pods, SurviveAnyBytes) {
  const std::string text =
      list({pod(1, "Failed", terminated(137, "OOMKilled"), 3), pod(0, "Pending")});
  Random random(11, 0);
  for (int i = 0; i < 3000; ++i) {
    const std::string damaged = mutated(text, random);
    (void)parse_pods(damaged);
    (void)parse_job(damaged);
  }
}

}  // namespace
}  // namespace tacho
