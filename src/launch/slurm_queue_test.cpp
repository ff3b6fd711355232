#include "launch/slurm_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/mutation.h"

namespace tacho {
namespace {

using ::testing::HasSubstr;

// As Slurm 22.05 answered for an array in which one was killed and one cancelled.
constexpr const char* kRecorded =
    "3|CANCELLED|1280|127.0.0.2|None|\n"
    "0|COMPLETED|0|127.0.0.1|None|\n"
    "2|FAILED|9|127.0.0.2|JobLaunchFailure|\n"
    "1|FAILED|1792|127.0.0.1|NonZeroExitCode|\n"
    "8|PENDING|0||JobArrayTaskLimit|\n"
    "7|RUNNING|0|127.0.0.2|None|\n";

TEST(SlurmQueue, EveryTaskHasItsState) {
  const auto tasks = parse_queue(kRecorded);
  ASSERT_TRUE(tasks.ok()) << tasks.error().message;
  ASSERT_EQ(tasks->size(), 6U);
  EXPECT_EQ(tasks->at(0).state, TaskState::ended);
  EXPECT_TRUE(tasks->at(0).status->success());
  EXPECT_EQ(tasks->at(0).reason, "");
  EXPECT_EQ(tasks->at(1).status->code, 7);
  EXPECT_THAT(tasks->at(1).reason, HasSubstr("FAILED (NonZeroExitCode)"));
  EXPECT_EQ(tasks->at(3).ended_by, EndedBy::cancel);
  EXPECT_EQ(tasks->at(3).status->code, 5);
  EXPECT_EQ(tasks->at(7).state, TaskState::running);
  EXPECT_EQ(tasks->at(7).where, "127.0.0.2");
  EXPECT_EQ(tasks->at(8).state, TaskState::waiting);
  EXPECT_THAT(tasks->at(8).reason, HasSubstr("JobArrayTaskLimit"));
}

TEST(SlurmQueue, OneWhoseTakerWasKilledIsLost) {
  const auto tasks = parse_queue(kRecorded);
  EXPECT_EQ(tasks->at(2).state, TaskState::lost);
  EXPECT_FALSE(tasks->at(2).status);
  EXPECT_THAT(tasks->at(2).reason, HasSubstr("on 127.0.0.2"));
}

TEST(SlurmQueue, EndsThatSlurmBringsAboutHaveTheirCause) {
  const auto tasks = parse_queue(
      "0|NODE_FAIL|0|n1|None|\n1|TIMEOUT|15|n1|TimeLimit|\n2|OUT_OF_MEMORY|0:125|n1|None|\n"
      "3|A_NEW_STATE|0|n1|None|\n");
  ASSERT_TRUE(tasks.ok());
  EXPECT_EQ(tasks->at(0).state, TaskState::lost);
  EXPECT_EQ(tasks->at(1).ended_by, EndedBy::time_limit);
  EXPECT_EQ(tasks->at(1).status->signal, SIGTERM);
  EXPECT_EQ(tasks->at(2).ended_by, EndedBy::out_of_memory);
  EXPECT_EQ(tasks->at(3).state, TaskState::running);
}

TEST(SlurmQueue, QuotesALineThatMakesNoSense) {
  EXPECT_THAT(parse_queue("0|RUNNING|0|n1|None|\nslurm is tired\n").error().message,
              HasSubstr("'slurm is tired'"));
  EXPECT_FALSE(parse_queue("N/A|PENDING|0||None|\n").ok());
}

TEST(SlurmQueue, SurvivesAnyBytes) {
  Random random(7, 0);
  for (int i = 0; i < 5000; ++i) {
    const auto tasks = parse_queue(mutated(kRecorded, random));
    EXPECT_TRUE(!tasks.ok() || tasks->size() <= 12U);
  }
}

TEST(SlurmQueue, TheLargestArrayIsInTheConfiguration) {
  EXPECT_EQ(most_tasks_in("A = 1\nMaxArraySize            = 1001\nB = 2\n"), 1001U);
  EXPECT_EQ(most_tasks_in("MaxArraySize = (null)\n"), std::nullopt);
  EXPECT_EQ(most_tasks_in(""), std::nullopt);
  EXPECT_EQ(most_tasks_in("MaxArraySize"), std::nullopt);
}

}  // namespace
}  // namespace tacho
