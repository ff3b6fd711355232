#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>

#include "machine/comm/greeting.h"
#include "machine/comm/rank_0_connection.h"
#include "machine/comm/test_ranks.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

// A rank that only waits for a failure and returns it.
std::string wait_as_rank(const TestPort& port, int rank, std::chrono::milliseconds timeout) {
  const Met met = Rendezvous::meet(rank_at(port, rank, 3, timeout), {});
  if (!met.ok()) return met.error().message;
  return (*met)->wait_for_failure(kPatient).value_or("no failure");
}

class Loss : public testing::Test {
 protected:
  // Starts ranks 1 and 2 as processes; rank 0 is the test or another process.
  void start(std::chrono::milliseconds timeout) {
    port_.listen();
    for (const int rank : {1, 2}) {
      others_.push_back(
          std::make_unique<RankProcess>([&] { return wait_as_rank(port_, rank, timeout); }));
    }
  }
  [[nodiscard]] std::string name_of(const Rendezvous& rendezvous, int rank) const {
    return fmt::format("rank {} (host {}, pid {})", rank, rendezvous.members()[0].host,
                       others_[static_cast<std::size_t>(rank - 1)]->pid());
  }

  TestPort port_;
  std::vector<std::unique_ptr<RankProcess>> others_;
};

TEST_F(Loss, AllOthersNameAKilledRankImmediately) {
  start(kPatient);
  const Met met = Rendezvous::meet(rank_at(port_, 0, 3), {});
  ASSERT_TRUE(met.ok()) << met.error().message;
  EXPECT_EQ((*met)->failure(), std::nullopt);
  const auto killed = Clock::now();
  others_[1]->signal(SIGKILL);
  const std::string died = name_of(**met, 2) + " died";
  EXPECT_EQ((*met)->wait_for_failure(kPatient), died);
  EXPECT_LT(Clock::now() - killed, std::chrono::seconds(10)) << "it took as long as the timeout";
  EXPECT_EQ(others_[0]->report(), died);
}

TEST_F(Loss, AllRanksNameAStoppedRankWithinTheTimeout) {
  constexpr std::chrono::milliseconds kTimeout{2000};
  start(kTimeout);
  const Met met = Rendezvous::meet(rank_at(port_, 0, 3, kTimeout), {});
  ASSERT_TRUE(met.ok()) << met.error().message;
  others_[1]->signal(SIGSTOP);
  const std::string silent =
      fmt::format("no message from rank 2 (host {}) for 2 s: its machine or the network is down",
                  (*met)->members()[0].host);
  EXPECT_EQ((*met)->wait_for_failure(kPatient), silent);
  EXPECT_EQ(others_[0]->report(), silent);
  // Continued, it reports the same failure.
  others_[1]->signal(SIGCONT);
  EXPECT_EQ(others_[1]->report(), silent);
}

TEST_F(Loss, TheOthersNameADeadRankZero) {
  const RankProcess rank_0([&] {
    const Met met = Rendezvous::meet(rank_at(port_, 0, 3), {});
    return met.ok() && (*met)->share("ready", "yes").ok() ? "met" : "failed";
  });
  start(kPatient);
  EXPECT_EQ(rank_0.report(), "met");
  for (const auto& other : others_) {
    EXPECT_THAT(other->report(), testing::EndsWith(fmt::format("pid {}) died", rank_0.pid())));
  }
}

TEST_F(Loss, TheOthersNameARankThatDiesBeforeAllAreConnected) {
  port_.listen();
  const auto greet_and_disconnect = [](const Rendezvous::Options& options) {
    auto connection = connect_to_rank_0(options, std::chrono::steady_clock::now() + kPatient);
    ASSERT_TRUE(connection.ok()) << connection.error().message;
    connection->queue(greeting_to_json({member_at(options.place), 3, {}}));
    connection->flush();
  };
  std::vector<std::string> errors(3);
  std::latch rank_1_is_gone(1);
  as_threads(3, [&](int rank) {
    const auto options = rank_at(port_, rank, 3);
    if (rank == 1) {
      greet_and_disconnect(options);
      return rank_1_is_gone.count_down();
    }
    // Otherwise all ranks could be connected before rank 0 reads that rank 1 has disconnected.
    if (rank == 2) rank_1_is_gone.wait();
    const Met met = Rendezvous::meet(options, {});
    ASSERT_FALSE(met.ok());
    errors[static_cast<std::size_t>(rank)] = met.error().message;
  });
  EXPECT_THAT(errors[0], testing::EndsWith(fmt::format(
                             "pid {}) died before all ranks were connected", ::getpid())));
  EXPECT_EQ(errors[2], errors[0]);
}

}  // namespace
}  // namespace tacho
