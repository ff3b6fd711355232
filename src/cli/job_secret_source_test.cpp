#include "cli/job_secret_source.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(CommandForMachine, IsTheTypedOneWithItsNumberAndTheSecret) {
  EXPECT_EQ(
      command_for_machine(1, "s3cret", {"tacho", "train", "a b", "--node-rank", "0", "-b", "4"}),
      "TACHO_JOB_SECRET=s3cret tacho train 'a b' --node-rank 1 -b 4");
  EXPECT_EQ(command_for_machine(2, "s3cret", {"tacho", "--node-rank=0"}),
            "TACHO_JOB_SECRET=s3cret tacho --node-rank=2");
  EXPECT_EQ(command_for_machine(1, "", {"tacho", "--node-rank", "0"}), "tacho --node-rank 1");
}

}  // namespace
}  // namespace tacho
