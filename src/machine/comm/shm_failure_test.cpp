#include <gmock/gmock.h>
#include <sys/mman.h>

#include <csignal>

#include "machine/comm/shm_test_ranks.h"

namespace tacho {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::MatchesRegex;
using Clock = std::chrono::steady_clock;

std::string message_of(const Result<void>& result) {
  return result.ok() ? "" : result.error().message;
}

// Counts shared by parent and child processes.
class SharedCounts {
 public:
  SharedCounts()
      : counts_(static_cast<std::atomic<int>*>(
            ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~SharedCounts() { ::munmap(counts_, 4096); }
  SharedCounts(const SharedCounts&) = delete;
  SharedCounts& operator=(const SharedCounts&) = delete;

  std::atomic<int>& operator[](int index) const { return counts_[index]; }
  // std::atomic::wait() works within one process only, so this polls.
  void wait_for(int index, int value) const {
    while (counts_[index].load() < value) std::this_thread::yield();
  }

 private:
  std::atomic<int>* counts_;
};

TEST(ShmFailure, AllOthersNameAKilledRankWithinASecond) {
  for (int victim = 0; victim < 3; ++victim) {
    SharedCounts calls;
    auto ranks = start_processes({.name = unique_name(), .size = 3}, [&](ShmGroup& group) {
      std::vector<float> values(300'000);
      while (true) {
        if (auto made = group.all_reduce(values); !made.ok()) return made.error().message;
        ++calls[group.rank()];
      }
    });
    calls.wait_for(victim, 3);
    const auto start = Clock::now();
    ranks[static_cast<std::size_t>(victim)].kill();
    const auto expected =
        fmt::format("rank {} (pid {}) died", victim, ranks[static_cast<std::size_t>(victim)].pid());
    for (int rank = 0; rank < 3; ++rank) {
      if (rank == victim) continue;
      EXPECT_EQ(ranks[static_cast<std::size_t>(rank)].message(), expected);
    }
    EXPECT_LT(Clock::now() - start, seconds(1));
  }
}

TEST(ShmFailure, AKilledRankIsNamedWhileTheOthersSleep) {
  SharedCounts here;
  auto ranks = start_processes({.name = unique_name(), .size = 3}, [&](ShmGroup& group) {
    ++here[0];
    if (group.rank() == 2) ::pause();
    return message_of(group.barrier());
  });
  here.wait_for(0, 3);
  ranks[2].kill();
  EXPECT_EQ(ranks[0].message(), fmt::format("rank 2 (pid {}) died", ranks[2].pid()));
  EXPECT_EQ(ranks[1].message(), fmt::format("rank 2 (pid {}) died", ranks[2].pid()));
}

TEST(ShmFailure, AStoppedRankIsLate) {
  auto ranks = start_processes({.name = unique_name(), .size = 3, .timeout = milliseconds(200)},
                               [](ShmGroup& group) {
                                 if (group.rank() == 1) ::pause();
                                 std::vector<float> values(100);
                                 return message_of(group.all_reduce(values));
                               });
  const std::string expected =
      fmt::format("rank 1 \\(pid {}\\) did not reach the all-reduce of 400 bytes within 2.. ms",
                  ranks[1].pid());
  EXPECT_THAT(ranks[0].message(), MatchesRegex(expected));
  EXPECT_THAT(ranks[2].message(), MatchesRegex(expected));
}

TEST(ShmFailure, EveryRankNamesDifferentSizes) {
  for (const std::size_t count : {0, 300, 20'000, 3'000'000}) {
    auto ranks = start_processes({.name = unique_name(), .size = 3}, [&](ShmGroup& group) {
      std::vector<float> values(group.rank() == 2 ? 1000 : count);
      const std::string first = message_of(group.all_reduce(values));
      // Every later call returns the same error.
      return first == message_of(group.barrier()) ? first : "another message";
    });
    const std::string theirs = fmt::format("all-reduce of {} bytes", 4 * count);
    const std::string end = ": every rank must make the same calls with the same sizes";
    const std::string expected =
        "rank 2 called all-reduce of 4000 bytes, but rank {} called " + theirs + end;
    EXPECT_EQ(ranks[0].message(), fmt::format(fmt::runtime(expected), 0));
    EXPECT_EQ(ranks[1].message(), fmt::format(fmt::runtime(expected), 1));
    EXPECT_EQ(ranks[2].message(),
              "rank 0 called " + theirs + ", but rank 2 called all-reduce of 4000 bytes" + end);
  }
}

TEST(ShmFailure, NamesDifferentCallsRootsAndPlaces) {
  const auto message_of_rank_0 = [](const std::function<Result<void>(ShmGroup&)>& body) {
    auto ranks = start_processes({.name = unique_name(), .size = 2},
                                 [&](ShmGroup& group) { return message_of(body(group)); });
    ranks[1].message();
    return ranks[0].message();
  };
  EXPECT_THAT(message_of_rank_0([](ShmGroup& group) {
                if (group.rank() == 1) return group.barrier();
                std::vector<std::byte> bytes(10);
                return group.broadcast(bytes, 0);
              }),
              HasSubstr("rank 1 called barrier, but rank 0 called broadcast of 10 bytes from "
                        "rank 0"));
  EXPECT_THAT(
      message_of_rank_0([](ShmGroup& group) {
        std::vector<float> values(1);
        return group.reduce(values, group.rank());
      }),
      HasSubstr("reduce of 4 bytes to rank 1, but rank 0 called reduce of 4 bytes to rank 0"));
  EXPECT_THAT(
      message_of_rank_0([](ShmGroup& group) -> Result<void> {
        TACHO_TRY(memory, group.allocate(50'001));
        return group.all_reduce(memory.subspan(static_cast<std::size_t>(group.rank()), 50'000));
      }),
      HasSubstr("200000 bytes in shared memory at 5, but rank 0 called all-reduce of 200000 "
                "bytes in shared memory at 1"));
}

TEST(ShmFailure, TheOthersGetTheReasonOfARankThatGaveUp) {
  in_threads(3, [](ShmGroup& group) {
    std::vector<float> values(group.rank() == 0 ? 1 : 2);
    const auto first = group.all_reduce(values);
    ASSERT_FALSE(first.ok());
    EXPECT_THAT(first.error().message, HasSubstr("every rank must make the same calls"));
  });
}

TEST(ShmFailure, NamesARankThatLeavesEarly) {
  in_threads(2, [](ShmGroup& group) {
    if (group.rank() == 1) return;
    EXPECT_EQ(message_of(group.barrier()),
              fmt::format("rank 1 (pid {}) has left the group", ::getpid()));
  });
}

}  // namespace
}  // namespace tacho
