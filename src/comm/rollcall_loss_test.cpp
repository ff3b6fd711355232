#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/greeting.h"
#include "comm/hub_line.h"
#include "comm/test_ranks.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

// A rank that does nothing but wait for trouble, and reports it.
std::string wait_as_rank(const TestPort& port, int rank, std::chrono::milliseconds timeout) {
  const Met met = Rollcall::meet(rank_at(port, rank, 3, timeout), {});
  if (!met.ok()) return met.error().message;
  return (*met)->wait_for_trouble(kPatient).value_or("no trouble");
}

class Loss : public testing::Test {
 protected:
  // Ranks 1 and 2 as processes; rank 0 is for the test, or a process too.
  void start(std::chrono::milliseconds timeout) {
    port_.listen();
    for (const int rank : {1, 2}) {
      others_.push_back(
          std::make_unique<RankProcess>([&] { return wait_as_rank(port_, rank, timeout); }));
    }
  }
  [[nodiscard]] std::string name_of(const Rollcall& rollcall, int rank) const {
    return fmt::format("rank {} (host {}, pid {})", rank, rollcall.members()[0].host,
                       others_[static_cast<std::size_t>(rank - 1)]->pid());
  }

  TestPort port_;
  std::vector<std::unique_ptr<RankProcess>> others_;
};

TEST_F(Loss, AKilledRankIsNamedOnAllOthersAtOnce) {
  start(kPatient);
  const Met met = Rollcall::meet(rank_at(port_, 0, 3), {});
  ASSERT_TRUE(met.ok()) << met.error().message;
  EXPECT_EQ((*met)->trouble(), std::nullopt);
  const auto killed = Clock::now();
  others_[1]->signal(SIGKILL);
  const std::string died = name_of(**met, 2) + " died";
  EXPECT_EQ((*met)->wait_for_trouble(kPatient), died);
  EXPECT_LT(Clock::now() - killed, std::chrono::seconds(10)) << "it took as long as silence does";
  EXPECT_EQ(others_[0]->report(), died);
}

TEST_F(Loss, AStoppedRankIsNamedWithinTheTimeoutEverywhere) {
  constexpr std::chrono::milliseconds kTimeout{2000};
  start(kTimeout);
  const Met met = Rollcall::meet(rank_at(port_, 0, 3, kTimeout), {});
  ASSERT_TRUE(met.ok()) << met.error().message;
  others_[1]->signal(SIGSTOP);
  const std::string silent =
      fmt::format("no word from rank 2 (host {}) for 2 s: its machine or the network is gone",
                  (*met)->members()[0].host);
  EXPECT_EQ((*met)->wait_for_trouble(kPatient), silent);
  EXPECT_EQ(others_[0]->report(), silent);
  // Woken again, it learns what the others have long known.
  others_[1]->signal(SIGCONT);
  EXPECT_EQ(others_[1]->report(), silent);
}

TEST_F(Loss, ADeadRankZeroIsNamedByTheOthers) {
  const RankProcess rank_0([&] {
    const Met met = Rollcall::meet(rank_at(port_, 0, 3), {});
    return met.ok() && (*met)->share("ready", "yes").ok() ? "met" : "failed";
  });
  start(kPatient);
  EXPECT_EQ(rank_0.report(), "met");
  for (const auto& other : others_) {
    EXPECT_THAT(other->report(), testing::EndsWith(fmt::format("pid {}) died", rank_0.pid())));
  }
}

TEST_F(Loss, ARankThatDiesBeforeAllHaveComeIsNamedToTheOthers) {
  port_.listen();
  std::vector<std::string> told(3);
  as_threads(3, [&](int rank) {
    const auto options = rank_at(port_, rank, 3);
    if (rank == 1) {  // greets, and is gone
      auto line = reach_hub(options, std::chrono::steady_clock::now() + kPatient);
      ASSERT_TRUE(line.ok()) << line.error().message;
      line->queue(greeting_to_json({member_at(options.place), 3, {}}));
      line->flush();
      return;
    }
    const Met met = Rollcall::meet(options, {});
    ASSERT_FALSE(met.ok());
    told[static_cast<std::size_t>(rank)] = met.error().message;
  });
  EXPECT_THAT(told[0],
              testing::EndsWith(fmt::format("pid {}) died before all ranks had come", ::getpid())));
  EXPECT_EQ(told[2], told[0]);
}

}  // namespace
}  // namespace tacho
