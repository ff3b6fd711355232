#include "serving/dashboard/job_slots.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/scratch_folder.h"
#include "base/subprocess.h"

namespace tacho::serve {
namespace {

TEST(JobSlots, AreHeldUntilTheJobEnds) {
  ScratchFolder folder;
  const JobSlots slots(folder.path() / "slots", 2);
  auto first = *slots.take();
  const auto second = *slots.take();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(*slots.take());
  EXPECT_FALSE(*JobSlots(folder.path() / "slots", 2).take());

  auto job = Process::start({.argv = {"sleep", "1000"}, .inherited = {first.get()}});
  ASSERT_TRUE(job.ok());
  first.reset();  // the job still holds it
  EXPECT_FALSE(*slots.take());
  job->signal(SIGKILL);
  (void)job->wait();
  EXPECT_TRUE(*slots.take());
}

TEST(JobSlots, AllowNoJobsWithALimitOfZero) {
  ScratchFolder folder;
  EXPECT_FALSE(*JobSlots(folder.path(), 0).take());
}

}  // namespace
}  // namespace tacho::serve
