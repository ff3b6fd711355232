#include "experiments/runner/worker_group.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/file.h"
#include "experiments/runner/fake_worker.h"

namespace tacho {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr milliseconds kAmple{20'000};

// A group of fake workers that all run `script`.
struct Trial {
  explicit Trial(const std::string& script, DistSpec dist = {.ranks_per_node = 3},
                 WorkerGroup::Patience patience = {kAmple})
      : worker(script), launch(*plan_launch(dist, {})) {
    std::filesystem::create_directory(folder.path());
    auto started =
        WorkerGroup::start({program, worker.home(), folder, launch, patience, container});
    EXPECT_TRUE(started.ok());
    group.emplace(*std::move(started));
  }
  [[nodiscard]] std::string log(int rank) const { return *read_file(folder.rank_log(rank)); }

  FakeWorker worker;
  RunFolder folder{worker.home() / "run"};
  Launch launch;
  WorkerChoice program{worker.path(), "", {}};
  RunContainer container = *RunContainer::open({.key = "k"}, folder, worker.home());
  std::optional<WorkerGroup> group;
};

TEST(WorkerGroup, GivesEachRankItsPlaceAndItsLog) {
  Trial trial("echo $1 $2 $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $GROUP_RANK $MASTER_ADDR",
              {.ranks_per_node = 2});
  ASSERT_TRUE(trial.group->wait_for(kAmple));
  EXPECT_TRUE(trial.group->success());
  const std::string start = "run " + trial.folder.path().string();
  EXPECT_EQ(trial.log(0), start + " 0 2 0 2 0 127.0.0.1\n");
  EXPECT_EQ(trial.log(1), start + " 1 2 1 2 0 127.0.0.1\n");
  EXPECT_EQ(trial.folder.rank_log(0), trial.folder.log());
}

TEST(WorkerGroup, PassesTheListeningSocketToRankZeroOnly) {
  Trial trial(
      "echo port $MASTER_PORT\n"
      "readlink /proc/$$/fd/${TACHO_RENDEZVOUS_FD:-none} || ls -l /proc/$$/fd | grep -c socket",
      {.ranks_per_node = 2});
  ASSERT_TRUE(trial.group->wait_for(kAmple));
  EXPECT_THAT(trial.log(0), HasSubstr("\nsocket:["));
  EXPECT_THAT(trial.log(1), testing::EndsWith("\n0\n"));
  EXPECT_EQ(trial.log(0).substr(0, trial.log(0).find('\n')),
            trial.log(1).substr(0, trial.log(1).find('\n')));
  EXPECT_THAT(trial.log(0), testing::Not(StartsWith("port 0\n")));
}

TEST(WorkerGroup, AnnouncesRankZeroInTheFileWhileItRuns) {
  const ScratchFolder shared;
  const RendezvousFile file(shared.path() / "job");
  const FakeWorker worker("echo $MASTER_ADDR $MASTER_PORT $TACHO_JOB_SECRET; cat " +
                          file.path().string());
  const RunFolder folder(worker.home() / "run");
  std::filesystem::create_directory(folder.path());
  const WorkerChoice program{worker.path(), "", {}};
  auto container = RunContainer::open({.key = "k"}, folder, worker.home());
  for (const std::string given : {"", "a-secret-that-was-given"}) {
    const auto launch = plan_launch({.nodes = 2}, {.node_rank = 0, .secret = given, .file = file});
    {
      auto group =
          WorkerGroup::start({program, worker.home(), folder, *launch, {kAmple}, *container});
      ASSERT_TRUE(group.ok()) << group.error().message;
      const auto point = *file.read();
      ASSERT_TRUE(point);
      ASSERT_TRUE(group->wait_for(kAmple));
      const std::string log = *read_file(folder.rank_log(0));
      const std::string& secret = launch->places[0].secret;
      EXPECT_THAT(log, HasSubstr(fmt::format("{} {} {}\n", point->address.host, point->address.port,
                                             secret)));
      EXPECT_EQ(point->secret, given.empty() ? secret : "");
      EXPECT_THAT(log, HasSubstr(point->attempt));
    }
    EXPECT_FALSE(std::filesystem::exists(file.path()));
  }
}

TEST(WorkerGroup, SetsNoVariablesForASingleWorker) {
  Trial trial("echo \"${RANK-none} ${WORLD_SIZE-none} ${MASTER_ADDR-none}\"; exit 3", {});
  ASSERT_TRUE(trial.group->wait_for(kAmple));
  EXPECT_EQ(trial.log(0), "none none none\n");
  EXPECT_FALSE(trial.group->success());
  EXPECT_EQ(trial.group->explain(),
            "the worker ended unexpectedly: exit code 3; its last line: none none none");
}

TEST(WorkerGroup, NamesTheRankThatFailedFirstAndItsLastLine) {
  Trial trial("[ $RANK = 2 ] && echo failing && kill -9 $$\nsleep 0.2; echo lost rank 2; exit 1");
  ASSERT_TRUE(trial.group->wait_for(kAmple));
  EXPECT_FALSE(trial.group->success());
  EXPECT_THAT(trial.group->explain(), StartsWith("rank 2 was killed by signal 9 (Killed); "));
  EXPECT_THAT(trial.group->explain(), HasSubstr("; its last line: failing"));
  EXPECT_EQ(trial.group->log_to_read(), trial.folder.rank_log(2));
}

TEST(WorkerGroup, EndsTheOtherRanksAfterAFailure) {
  Trial trial("[ $RANK = 1 ] && exit 3\nexec sleep 600", {.ranks_per_node = 3}, {milliseconds(50)});
  ASSERT_TRUE(trial.group->wait_for(kAmple));
  EXPECT_EQ(trial.group->explain(), "rank 1 ended with exit code 3");
}

TEST(WorkerGroup, KillsRanksThatIgnoreSigterm) {
  Trial trial("[ $RANK = 1 ] && exit 3\ntrap '' TERM\nwhile true; do sleep 0.05; done",
              {.ranks_per_node = 2}, {milliseconds(50), milliseconds(50)});
  ASSERT_TRUE(trial.group->wait_for(kAmple));
  EXPECT_FALSE(trial.group->success());
}

TEST(WorkerGroup, EndsTheOtherRanksAfterRankZero) {
  Trial trial("[ $RANK = 0 ] && exit 0\nexec sleep 600", {.ranks_per_node = 2}, {milliseconds(50)});
  EXPECT_TRUE(trial.group->wait_for(kAmple));
}

TEST(WorkerGroup, LetsRankZeroContinueAfterAnotherEndsSuccessfully) {
  Trial trial("[ $RANK = 1 ] && exit 0\nsleep 0.4", {.ranks_per_node = 2}, {milliseconds(1)});
  ASSERT_TRUE(trial.group->wait_for(kAmple));
  EXPECT_TRUE(trial.group->success());
}

TEST(WorkerGroup, ForwardsAnInterruptToAllRanks) {
  Trial trial(
      "trap 'echo asked; exit 1' TERM\ntouch $2/ready-$RANK\nwhile true; do sleep 0.02; done");
  for (int rank = 0; rank < 3; ++rank) {
    const auto ready = trial.folder.path() / ("ready-" + std::to_string(rank));
    while (!std::filesystem::exists(ready)) ASSERT_FALSE(trial.group->wait_for(milliseconds(5)));
  }
  trial.group->forward_interrupts(1);
  ASSERT_TRUE(trial.group->wait_for(kAmple));
  EXPECT_TRUE(trial.group->stop_requested());
  for (int rank = 0; rank < 3; ++rank) EXPECT_THAT(trial.log(rank), HasSubstr("asked\n"));
}

TEST(WorkerGroup, KillsAllRanksAtTheSecondInterrupt) {
  Trial trial("trap '' TERM\nwhile true; do sleep 0.05; done");
  trial.group->forward_interrupts(1);
  trial.group->forward_interrupts(2);
  EXPECT_TRUE(trial.group->wait_for(kAmple));
}

TEST(WorkerGroup, LeavesNoProcessesBehind) {
  Trial trial("echo $$; exec sleep 600");
  const auto log_of = [&](int rank) { return read_file(trial.folder.rank_log(rank)); };
  for (int rank = 0; rank < 3; ++rank) {
    while (!log_of(rank).ok() || log_of(rank)->empty()) {
      ASSERT_FALSE(trial.group->wait_for(milliseconds(5)));
    }
  }
  trial.group.reset();
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(::kill(std::stoi(*log_of(rank)), 0), -1);
}

TEST(WorkerGroup, StartsNoneIfOneCannotStart) {
  const ScratchFolder scratch;
  const RunFolder folder(scratch.path());
  const auto launch = plan_launch({.ranks_per_node = 2}, {});
  const WorkerChoice worker{scratch.path() / "no-worker", "", {}};
  auto container = RunContainer::open({.key = "k"}, folder, scratch.path());
  const auto group =
      WorkerGroup::start({worker, scratch.path(), folder, *launch, {kAmple}, *container});
  ASSERT_FALSE(group.ok());
  EXPECT_THAT(group.error().message, HasSubstr("no-worker"));
}

TEST(WorkerGroup, WaitsSlightlyLongerThanTheTimeoutOfTheRanks) {
  EXPECT_EQ(WorkerGroup::patience_of({.timeout_s = 15}).with_the_others, milliseconds(20'000));
}

}  // namespace
}  // namespace tacho
