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
using ::testing::Pair;

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
  const auto pods = parse_pods(list({item}));
  if (!pods.ok() || pods->tasks.size() != 1) broken_invariant("not one task");
  return pods->tasks.begin()->second.update;
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
  EXPECT_TRUE(only(unplaced).is_hindered);
  const TaskUpdate creating =
      only(pod(0, "Pending", {{"waiting", {{"reason", "ContainerCreating"}}}}));
  EXPECT_EQ(creating.reason, "");
  EXPECT_FALSE(creating.is_hindered);
}

TEST(Pods, SayThatTheirContainerCannotBeCreated) {
  const auto cannot_start = [](const char* reason) {
    const auto pods = parse_pods(list({pod(0, "Pending", {{"waiting", {{"reason", reason}}}})}));
    return pods->tasks.at(0).cannot_start;
  };
  EXPECT_TRUE(cannot_start("ImagePullBackOff"));
  EXPECT_TRUE(cannot_start("InvalidImageName"));
  EXPECT_FALSE(cannot_start("ContainerCreating"));
}

TEST(Pods, WithoutANumberHaveTheTaskThatTheyTook) {
  Json running = pod(0, "Running", {{"running", Json::object()}}, 1);
  Json waiting = pod(0, "Pending", {{"waiting", {{"reason", "ErrImagePull"}}}}, 2);
  for (Json* each : {&running, &waiting}) (*each)["metadata"].erase("annotations");
  const auto pods = parse_pods(list({running, waiting}), {{"job-0-at1", 7}});
  ASSERT_TRUE(pods.ok());
  ASSERT_EQ(pods->tasks.size(), 1U);
  EXPECT_EQ(pods->tasks.at(7).update.state, TaskState::running);
  ASSERT_TRUE(pods->unassigned);
  EXPECT_TRUE(pods->unassigned->cannot_start);
  EXPECT_THAT(pods->unassigned->pods, ElementsAre("job-0-at2"));
}

TEST(Pods, ThatRanOutOfMemoryHaveEndedEvenIfAnotherWasStarted) {
  for (const int again_at : {0, 5}) {  // created before or after it
    const auto pods =
        parse_pods(list({pod(1, "Failed", terminated(137, "OOMKilled"), 3),
                         pod(1, "Running", {{"running", Json::object()}}, again_at)}));
    const TaskUpdate& update = pods->tasks.at(1).update;
    EXPECT_EQ(update.state, TaskState::ended);
    EXPECT_EQ(update.ended_by, EndedBy::out_of_memory);
    EXPECT_EQ(update.status->signal, SIGKILL);
    EXPECT_THAT(pods->tasks.at(1).pods, ElementsAre(fmt::format("job-1-at{}", again_at)));
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
  const auto pods = parse_pods(list({pod(0, "Running", {{"running", Json::object()}}, 9),
                                     pod(0, "Failed", terminated(1, "Error"), 4)}));
  EXPECT_EQ(pods->tasks.at(0).update.state, TaskState::running);
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

TEST(Jobs, ReportWhetherPodsAreMissing) {
  const auto job = [](int completions, int active, int succeeded) {
    return json_text({{"spec", {{"completions", completions}, {"parallelism", 2}}},
                      {"status", {{"active", active}, {"succeeded", succeeded}}}});
  };
  EXPECT_TRUE(parse_job(job(4, 2, 0))->has_all_pods);
  EXPECT_FALSE(parse_job(job(4, 1, 0))->has_all_pods);
  EXPECT_TRUE(parse_job(job(4, 1, 3))->has_all_pods);
  EXPECT_FALSE(parse_job(job(4, 1, 3))->suspended);
  EXPECT_TRUE(parse_job(R"({"spec":{"suspend":true}})")->suspended);
}

TEST(Warnings, TheNewestAboutAnObjectCounts) {
  const auto event = [](const char* object, const char* type, const char* at, const char* message) {
    return Json{{"type", type},
                {"involvedObject", {{"name", object}}},
                {"lastTimestamp", at},
                {"reason", "FailedCreate"},
                {"message", message}};
  };
  const auto warnings =
      parse_warnings(list({event("job", "Warning", "2026-03-01T10:05:00Z", "exceeded quota"),
                           event("job", "Warning", "2026-03-01T10:01:00Z", "old"),
                           event("job", "Normal", "2026-03-01T10:09:00Z", "created pod")}));
  ASSERT_TRUE(warnings.ok());
  EXPECT_THAT(*warnings, ElementsAre(Pair("job", "FailedCreate: exceeded quota")));
}

TEST(Version, IsTheMinorOne) {
  EXPECT_EQ(*parse_version(R"({"major":"1","minor":"20"})"), 20);
  EXPECT_EQ(*parse_version(R"({"major":"1","minor":"29+"})"), 29);
  EXPECT_FALSE(parse_version(R"({"major":"1"})").ok());
}

TEST(Pods, SurviveAnyBytes) {
  const std::string text =
      list({pod(1, "Failed", terminated(137, "OOMKilled"), 3), pod(0, "Pending")});
  Random random(11, 0);
  for (int i = 0; i < 3000; ++i) {
    const std::string damaged = mutated(text, random);
    (void)parse_pods(damaged);
    (void)parse_job(damaged);
    (void)parse_warnings(damaged);
    (void)parse_version(damaged);
  }
}

}  // namespace
}  // namespace tacho
