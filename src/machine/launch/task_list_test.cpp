#include "machine/launch/task_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"
#include "machine/launch/task_status.h"

namespace tacho {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Task> some() {
  return {{.key = "a",
           .command = {.argv = {"p", "x y", "'\"\n\\"},
                       .environment = {{"V", "1\t2"}},
                       .folder = "/f ä"},
           .needs = {.cores = 2, .memory_bytes = 100},
           .time_limit = Seconds(1.5),
           .log = "/l"},
          {.key = "b", .command = {.argv = {"q"}}, .needs = {.cores = 0.5, .gpus = 3}}};
}

TEST(TaskList, ATaskIsReadAsItWasWritten) {
  const auto tasks = some();
  const auto lines = write_tasks(tasks);
  ASSERT_TRUE(lines.ok());
  const auto first = read_task(*lines, 0);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->key, "a");
  EXPECT_EQ(first->command.argv, tasks[0].command.argv);
  EXPECT_EQ(first->command.environment, tasks[0].command.environment);
  EXPECT_EQ(first->command.folder, tasks[0].command.folder);
  EXPECT_EQ(first->time_limit, tasks[0].time_limit);
  EXPECT_EQ(first->log, "/l");
  EXPECT_EQ(read_task(*lines, 1)->command.folder, std::nullopt);
  EXPECT_THAT(*read_keys(*lines), ElementsAre("a", "b"));
  EXPECT_EQ(read_task(*lines, 2).error().code, ErrorCode::not_found);
}

TEST(TaskList, RefusesTextThatIsNotUtf8) {
  auto tasks = some();
  tasks[1].command.argv = {"q", "\xff"};
  EXPECT_THAT(write_tasks(tasks).error().message, HasSubstr("task b: "));
}

TEST(TaskList, ABatchNeedsWhatItsLargestTaskNeeds) {
  const auto tasks = some();
  const Resources needs = largest_needs(tasks);
  EXPECT_EQ(needs.cores, 2);
  EXPECT_EQ(needs.gpus, 3);
  EXPECT_EQ(needs.memory_bytes, 100);
  EXPECT_EQ(longest_limit(tasks), std::nullopt);
  EXPECT_EQ(longest_limit(std::span(tasks).first(1)), Seconds(1.5));
}

TEST(TaskList, RefusesNamesThatASchedulerWouldNotAccept) {
  for (const char* good : {"a", "s1-b2", "0"}) EXPECT_TRUE(check_batch_name(good).ok()) << good;
  for (const std::string& bad :
       {std::string(), std::string("A"), std::string("a/b"), std::string("-a"), std::string("a-"),
        std::string("a b"), std::string("../a"), std::string(41, 'a')}) {
    EXPECT_FALSE(check_batch_name(bad).ok()) << bad;
  }
}

TEST(TaskList, SurvivesAnyBytes) {
  const std::string lines = *write_tasks(some());
  const std::string status =
      write_status({ExitStatus{3, 0}, EndedBy::time_limit, "host", "some reason"});
  Random random(3, 0);
  for (int i = 0; i < 3000; ++i) {
    const std::string damaged = mutated(lines, random);
    (void)read_keys(damaged);
    (void)read_task(damaged, 1);
    const auto read = read_status(mutated(status, random));
    EXPECT_TRUE(!read.ok() || !read->status || read->status->code <= 255);
  }
}

TEST(TaskStatus, IsReadAsItWasWritten) {
  const TaskStatus killed{ExitStatus{0, 9}, EndedBy::out_of_memory, "host", "why"};
  const auto read = read_status(write_status(killed));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->status->signal, 9);
  EXPECT_EQ(read->ended_by, EndedBy::out_of_memory);
  EXPECT_EQ(read->where, "host");
  EXPECT_EQ(read->reason, "why");
  EXPECT_FALSE(read_status(write_status({.ended_by = EndedBy::cancel}))->status);
}

}  // namespace
}  // namespace tacho
