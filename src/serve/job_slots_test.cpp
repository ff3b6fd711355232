#include "serve/job_slots.h"

#include <gtest/gtest.h>

#include <csignal>

#include "base/scratch_folder.h"
#include "base/subprocess.h"

namespace tacho::serve {
namespace {

TEST(JobSlots, AreTakenUntilTheJobEnds) {
  ScratchFolder folder;
  const JobSlots slots(folder.path() / "slots", 2);
  auto first = *slots.take();
  const auto second = *slots.take();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(*slots.take());
  // Another server on the same folder counts them too.
  EXPECT_FALSE(*JobSlots(folder.path() / "slots", 2).take());

  auto job = Process::start({.argv = {"sleep", "1000"}, .inherited = {first.get()}});
  ASSERT_TRUE(job.ok());
  first.reset();  // the job has it still
  EXPECT_FALSE(*slots.take());
  job->signal(SIGKILL);
  (void)job->wait();
  EXPECT_TRUE(*slots.take());
}

TEST(JobSlots, MayBeNone) {
  ScratchFolder folder;
  EXPECT_FALSE(*JobSlots(folder.path(), 0).take());
}

}  // namespace
}  // namespace tacho::serve
