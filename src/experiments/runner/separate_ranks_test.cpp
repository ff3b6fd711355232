#include "experiments/runner/separate_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "experiments/runner/fake_worker.h"

namespace tacho {
namespace {

using testing::HasSubstr;

RunSpec spec() {
  RunSpec spec;
  spec.model = "mlp";
  spec.data = kSyntheticData;
  return spec;
}

Launch second_machine() {
  return *plan_launch({.ranks_per_node = 2, .nodes = 2},
                      {.node_rank = 1,
                       .rendezvous = Address{"node1", 29500},
                       .secret = "0123456789abcdef0123456789abcdef"});
}

bool never() { return false; }

std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
  return {std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()};
}

TEST(SeparateRanks, GetTheSpecAndLeaveNothing) {
  const FakeWorker worker(
      "cat $2/spec.json > $TACHO_HOME/seen-$RANK-of-$WORLD_SIZE-at-$MASTER_ADDR");
  const std::atomic<int> interrupts{0};
  bool met = true;
  const auto ran = run_separate_ranks(new_order(spec()), second_machine(), worker.home(),
                                      interrupts, met, never);
  EXPECT_FALSE(met);
  ASSERT_TRUE(ran.ok()) << ran.error().message;
  for (const char* name : {"seen-2-of-4-at-node1", "seen-3-of-4-at-node1"}) {
    EXPECT_THAT(*read_file(worker.home() / name), HasSubstr(R"("model": "mlp")"));
  }
  EXPECT_TRUE(entries(worker.temporary()).empty());
}

TEST(SeparateRanks, KeepTheirLogIfTheyFail) {
  const FakeWorker worker("touch $2/ranks-met; echo one; echo no route to node1; exit 3");
  const std::atomic<int> interrupts{0};
  bool met = false;
  const auto ran = run_separate_ranks(new_order(spec()), second_machine(), worker.home(),
                                      interrupts, met, never);
  EXPECT_TRUE(met);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().code, ErrorCode::failed);
  const std::string& message = ran.error().message;
  EXPECT_THAT(message,
              HasSubstr("ended with exit code 3; its last line: no route to node1; its log"));
  ASSERT_EQ(entries(worker.temporary()).size(), 1U);
  EXPECT_THAT(message, HasSubstr(entries(worker.temporary()).front().string() + "/rank-"));
}

TEST(SeparateRanks, StopWhenAskedAndLeaveNothing) {
  const FakeWorker worker("exec sleep 600");
  const std::atomic<int> interrupts{2};
  bool met = false;
  const auto ran = run_separate_ranks(new_order(spec()), second_machine(), worker.home(),
                                      interrupts, met, never);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().message, "stopped by the user");
  EXPECT_TRUE(entries(worker.temporary()).empty());
}

TEST(SeparateRanks, EndWhenMachine0BeginsAnotherAttempt) {
  const std::atomic<int> interrupts{0};
  bool met = true;
  const auto superseded = [] { return true; };
  const FakeWorker alone("exec sleep 600");
  const auto ran = run_separate_ranks(new_order(spec()), second_machine(), alone.home(), interrupts,
                                      met, superseded);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().message, "machine 0 began another attempt");
  EXPECT_FALSE(met);
  EXPECT_TRUE(entries(alone.temporary()).empty());
}

}  // namespace
}  // namespace tacho
