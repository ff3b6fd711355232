#include "machine/launch/slurm_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/mutation.h"

namespace tacho {
namespace {

using ::testing::HasSubstr;

// Output of Slurm 22.05 for an array in which one task was killed and one cancelled.
constexpr const char* kRecorded =
    "3|CANCELLED|1280|127.0.0.2|None|\n"
    "0|COMPLETED|0|127.0.0.1|None|\n"
    "2|FAILED|9|127.0.0.2|JobLaunchFailure|\n"
    "1|FAILED|1792|127.0.0.1|NonZeroExitCode|\n"
    "8|PENDING|0||JobArrayTaskLimit|\n"
    "7|RUNNING|0|127.0.0.2|None|\n";

TEST(SlurmQueue, EveryTaskHasItsState) {
  const auto queue = parse_queue(kRecorded);
  ASSERT_TRUE(queue.ok()) << queue.error().message;
  ASSERT_EQ(queue->tasks.size(), 6U);
  EXPECT_EQ(queue->tasks.at(0).state, TaskState::ended);
  EXPECT_TRUE(queue->tasks.at(0).status->success());
  EXPECT_EQ(queue->tasks.at(0).reason, "");
  EXPECT_EQ(queue->tasks.at(3).ended_by, EndedBy::cancel);
  EXPECT_EQ(queue->tasks.at(3).status->code, 5);
  EXPECT_EQ(queue->tasks.at(7).state, TaskState::running);
  EXPECT_EQ(queue->tasks.at(7).where, "127.0.0.2");
  EXPECT_EQ(queue->tasks.at(8).state, TaskState::waiting);
  EXPECT_THAT(queue->tasks.at(8).reason, HasSubstr("JobArrayTaskLimit"));
}

TEST(SlurmQueue, ATaskWhoseTakeTaskWasKilledOrFailedIsLost) {
  const auto queue = parse_queue(kRecorded);
  for (const std::size_t index : {1, 2}) {
    EXPECT_EQ(queue->tasks.at(index).state, TaskState::lost);
    EXPECT_FALSE(queue->tasks.at(index).status);
  }
  EXPECT_THAT(queue->tasks.at(1).reason, HasSubstr("FAILED (NonZeroExitCode)"));
  EXPECT_THAT(queue->tasks.at(2).reason, HasSubstr("on 127.0.0.2"));
}

TEST(SlurmQueue, ATaskWhoseTakeTaskCannotBeStartedHasEnded) {
  const auto queue = parse_queue("0|FAILED|32512|n1|NonZeroExitCode|\n");
  ASSERT_TRUE(queue.ok());
  EXPECT_EQ(queue->tasks.at(0).state, TaskState::ended);
  EXPECT_EQ(queue->tasks.at(0).status->code, 127);
  EXPECT_THAT(queue->tasks.at(0).reason, HasSubstr("FAILED (NonZeroExitCode)"));
}

TEST(SlurmQueue, EndsCausedBySlurmHaveTheirReason) {
  const auto queue = parse_queue(
      "0|NODE_FAIL|0|n1|None|\n1|TIMEOUT|15|n1|TimeLimit|\n2|OUT_OF_MEMORY|0:125|n1|None|\n"
      "3|A_NEW_STATE|0|n1|None|\n");
  ASSERT_TRUE(queue.ok());
  EXPECT_EQ(queue->tasks.at(0).state, TaskState::lost);
  EXPECT_EQ(queue->tasks.at(1).ended_by, EndedBy::time_limit);
  EXPECT_EQ(queue->tasks.at(1).status->signal, SIGTERM);
  EXPECT_EQ(queue->tasks.at(2).ended_by, EndedBy::out_of_memory);
  EXPECT_EQ(queue->tasks.at(3).state, TaskState::running);
}

TEST(SlurmQueue, ATaskThatCouldNotBeLaunchedIsHeld) {
  const auto queue =
      parse_queue("0|PENDING|0||launch failed requeued held|\n1|PENDING|0||JobHeldUser|\n");
  ASSERT_TRUE(queue.ok());
  EXPECT_TRUE(queue->tasks.at(0).held);
  EXPECT_FALSE(queue->tasks.at(1).held);  // held by a user
}

TEST(SlurmQueue, TasksCancelledBeforeTheyStartedShareALine) {
  const auto queue = parse_queue("N/A|CANCELLED|0||JobArrayTaskLimit|\n0|COMPLETED|0|n1|None|\n");
  ASSERT_TRUE(queue.ok());
  EXPECT_EQ(queue->tasks.size(), 1U);
  ASSERT_TRUE(queue->others);
  EXPECT_EQ(queue->others->ended_by, EndedBy::cancel);
}

TEST(SlurmQueue, QuotesAnUnexpectedLine) {
  EXPECT_THAT(parse_queue("0|RUNNING|0|n1|None|\nslurm is tired\n").error().message,
              HasSubstr("'slurm is tired'"));
  EXPECT_FALSE(parse_queue("-1|PENDING|0||None|\n").ok());
}

TEST(SlurmQueue, SurvivesAnyBytes) {
  Random random(7, 0);
  for (int i = 0; i < 5000; ++i) {
    const auto queue = parse_queue(mutated(kRecorded, random));
    EXPECT_TRUE(!queue.ok() || queue->tasks.size() <= 12U);
  }
}

TEST(SlurmQueue, ReadsTheLargestArrayFromTheConfiguration) {
  EXPECT_EQ(most_tasks_in("A = 1\nMaxArraySize            = 1001\nB = 2\n"), 1001U);
  EXPECT_EQ(most_tasks_in("MaxArraySize = (null)\n"), std::nullopt);
  EXPECT_EQ(most_tasks_in(""), std::nullopt);
  EXPECT_EQ(most_tasks_in("MaxArraySize"), std::nullopt);
}

}  // namespace
}  // namespace tacho
