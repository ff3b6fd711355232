#include "machine/probe/tree_accounts.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

// Returns a process with its own CPU time and page faults and those of children it waited for.
ProcStat process(std::int64_t pid, std::int64_t parent, std::int64_t ticks, std::int64_t faults,
                 std::int64_t children_ticks = 0, std::int64_t children_faults = 0) {
  ProcStat stat;
  stat.pid = pid;
  stat.parent = parent;
  stat.user_ticks = ticks;
  stat.minor_faults = faults;
  stat.children_user_ticks = children_ticks;
  stat.children_minor_faults = children_faults;
  return stat;
}

constexpr std::int64_t kRoot = 10;

class TreeAccountsTest : public testing::Test {
 protected:
  void seen(const ProcStat& stat, std::int64_t written = 0) {
    accounts_.seen(stat, {.write_bytes = written});
  }
  double ticks() const { return accounts_.total().user_ticks; }

  TreeAccounts accounts_{{kRoot}};
};

TEST_F(TreeAccountsTest, AddsUpLiveProcesses) {
  seen(process(kRoot, 1, 100, 50), 1000);
  seen(process(11, kRoot, 7, 5), 20);
  accounts_.settle();
  EXPECT_EQ(ticks(), 107);
  EXPECT_EQ(accounts_.total().minor_faults, 55);
  EXPECT_EQ(accounts_.total().io.write_bytes, 1020);
}

TEST_F(TreeAccountsTest, AChildThatWasWaitedForCountsOnce) {
  seen(process(kRoot, 1, 100, 50), 1000);
  seen(process(11, kRoot, 7, 5), 20);
  accounts_.settle();
  seen(process(kRoot, 1, 100, 50, 9, 6), 1025);  // it ended with 9 ticks, 6 faults and 25 bytes
  accounts_.gone(11);
  accounts_.settle();
  EXPECT_EQ(ticks(), 109);
  EXPECT_EQ(accounts_.total().io.write_bytes, 1025);
}

TEST_F(TreeAccountsTest, AChildThatNobodyWaitedForKeepsItsLastSample) {
  seen(process(kRoot, 1, 100, 50), 1000);
  seen(process(11, kRoot, 7, 5), 20);
  accounts_.settle();
  for (int look = 0; look < 3; ++look) {
    seen(process(kRoot, 1, 101, 51), 1000);
    accounts_.gone(11);
    accounts_.settle();
    EXPECT_EQ(ticks(), 108) << look;
    EXPECT_EQ(accounts_.total().io.write_bytes, 1020);
  }
}

// The parent is read, then it waits, then its child is found gone.
TEST_F(TreeAccountsTest, AWaitDuringASampleCountsOnce) {
  seen(process(kRoot, 1, 100, 50));
  seen(process(11, kRoot, 7, 5));
  accounts_.settle();
  seen(process(kRoot, 1, 100, 50));
  accounts_.gone(11);
  accounts_.settle();
  EXPECT_EQ(ticks(), 107);
  seen(process(kRoot, 1, 100, 50, 8, 5));
  accounts_.settle();
  EXPECT_EQ(ticks(), 108);
}

TEST_F(TreeAccountsTest, ShortChildrenThatWereNeverSampledCount) {
  for (int look = 1; look <= 10; ++look) {
    seen(process(kRoot, 1, look, 50, 20 * look, 1000 * look));
    accounts_.settle();
    EXPECT_EQ(ticks(), 21 * look);
  }
}

TEST_F(TreeAccountsTest, ABranchThatIsGoneIsSettledWithItsLiveAncestor) {
  seen(process(kRoot, 1, 1, 50));
  seen(process(11, kRoot, 10, 5));
  seen(process(12, 11, 100, 6));
  seen(process(13, 12, 1000, 7));
  accounts_.settle();
  EXPECT_EQ(ticks(), 1111);
  seen(process(kRoot, 1, 1, 50, 1116, 18));
  for (const int pid : {11, 12, 13}) accounts_.gone(pid);
  accounts_.settle();
  EXPECT_EQ(ticks(), 1117);
}

TEST_F(TreeAccountsTest, ADaemonWhoseParentIsGoneStays) {
  seen(process(kRoot, 1, 1, 50));
  seen(process(11, kRoot, 10, 5));
  seen(process(12, 11, 100, 6));
  accounts_.settle();
  seen(process(kRoot, 1, 1, 50, 10, 5));  // waited for 11
  accounts_.gone(11);
  seen(process(12, 1, 150, 6));
  accounts_.settle();
  EXPECT_EQ(ticks(), 161);
  seen(process(kRoot, 1, 1, 50, 10, 5));
  accounts_.gone(12);
  accounts_.settle();
  EXPECT_EQ(ticks(), 161);
}

TEST_F(TreeAccountsTest, UsesTheExactUsageOfAnEndedRoot) {
  seen(process(kRoot, 1, 100, 50), 1000);
  seen(process(11, kRoot, 7, 5), 20);
  accounts_.settle();
  accounts_.gone(kRoot);
  accounts_.gone(11);
  accounts_.settle();
  EXPECT_EQ(ticks(), 107);
  accounts_.ended(kRoot,
                  {.user = Seconds(1.125),
                   .system = Seconds(0.25),
                   .minor_faults = 60,
                   .storage_written = Bytes{4096}},
                  100);
  EXPECT_EQ(ticks(), 112.5);
  EXPECT_EQ(accounts_.total().system_ticks, 25);
  EXPECT_EQ(accounts_.total().minor_faults, 60);
  EXPECT_EQ(accounts_.total().io.write_bytes, 4096);
}

TEST_F(TreeAccountsTest, AnEndedRootLeavesTheChildItDidNotWaitFor) {
  seen(process(kRoot, 1, 100, 50));
  seen(process(11, kRoot, 7, 500));
  accounts_.settle();
  accounts_.gone(kRoot);
  seen(process(11, 1, 8, 500));
  accounts_.settle();
  accounts_.ended(kRoot, {.user = Seconds(1.125), .minor_faults = 60}, 100);
  EXPECT_EQ(ticks(), 120.5);
  accounts_.gone(11);
  accounts_.settle();
  EXPECT_EQ(ticks(), 120.5);
}

TEST_F(TreeAccountsTest, ARootThatWasNeverSampledCounts) {
  accounts_.ended(kRoot, {.user = Seconds(0.02), .minor_faults = 60}, 100);
  EXPECT_EQ(ticks(), 2);
}

TEST_F(TreeAccountsTest, TerminatesIfParentsFormACycle) {
  seen(process(11, 12, 1, 1));
  seen(process(12, 11, 1, 1));
  accounts_.gone(11);
  accounts_.gone(12);
  accounts_.settle();
  EXPECT_EQ(ticks(), 2);
}

}  // namespace
}  // namespace tacho
