#include "machine/comm/rendezvous.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/comm/test_ranks.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Ranks = std::vector<std::unique_ptr<Rendezvous>>;

void leave_all(const Ranks& ranks) {
  as_threads(static_cast<int>(ranks.size()),
             [&](int rank) { ranks[static_cast<std::size_t>(rank)]->leave(""); });
}

TEST(Agree, EqualLinesAreAgreedOn) {
  const Ranks ranks = meet_as_threads(3);
  as_threads(3, [&](int rank) {
    const auto& rendezvous = ranks[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(rendezvous->agree("parameters", {"fc.weight 10x20", "fc.bias 10"}).ok());
    EXPECT_TRUE(rendezvous->agree("buffers", {}).ok());
    EXPECT_TRUE(rendezvous->agree("paths", {"no UTF-8: \xff"}).ok());
  });
  leave_all(ranks);
}

TEST(Agree, TheFirstDifferenceIsNamedOnEveryRank) {
  const Ranks ranks = meet_as_threads(3);
  as_threads(3, [&](int rank) {
    std::vector<std::string> lines = {"fc.weight 10x20", "fc.bias 10", "z"};
    if (rank == 1) lines[1] = "fc.bias 11";
    if (rank == 2) lines[2] = "y";
    const auto agreed = ranks[static_cast<std::size_t>(rank)]->agree("parameters", lines);
    ASSERT_FALSE(agreed.ok());
    EXPECT_THAT(agreed.error().message, StartsWith("parameters: rank 1 (host "));
    EXPECT_THAT(agreed.error().message, HasSubstr("has 'fc.bias 11' where rank 0 (host "));
  });
  leave_all(ranks);
}

TEST(Agree, RanksWithDifferentTopicsGetAnError) {
  const Ranks ranks = meet_as_threads(2);
  as_threads(2, [&](int rank) {
    const auto agreed = ranks[static_cast<std::size_t>(rank)]->agree(rank == 0 ? "a" : "b", {});
    ASSERT_FALSE(agreed.ok());
    EXPECT_THAT(agreed.error().message, HasSubstr("is at '"));
  });
  leave_all(ranks);
}

TEST(Post, EveryoneReadsWhatAnyRankPosted) {
  const Ranks ranks = meet_as_threads(3);
  as_threads(3, [&](int rank) {
    const auto& rendezvous = ranks[static_cast<std::size_t>(rank)];
    rendezvous->post(fmt::format("port {}", rank), fmt::format("at {}", rank));
    for (int other = 0; other < 3; ++other) {
      const auto text = rendezvous->posted(fmt::format("port {}", other), kPatient);
      ASSERT_TRUE(text.ok()) << text.error().message;
      EXPECT_EQ(*text, fmt::format("at {}", other));
    }
  });
  EXPECT_THAT(ranks[1]->posted("nothing", std::chrono::milliseconds(1)).error().message,
              HasSubstr("no rank has posted 'nothing' within 0.001 s"));
  leave_all(ranks);
}

TEST(Post, IsNotWaitedForOnceARankIsLost) {
  const Ranks ranks = meet_as_threads(2);
  std::jthread waits([&] {
    EXPECT_THAT(ranks[0]->posted("port", kPatient).error().message, HasSubstr("disk full"));
  });
  ranks[1]->leave("disk full");
}

TEST(Share, EveryoneGetsTheTextOfRankZero) {
  const Ranks ranks = meet_as_threads(3);
  const std::string large(300000, 'x');
  as_threads(3, [&](int rank) {
    const auto& rendezvous = ranks[static_cast<std::size_t>(rank)];
    EXPECT_EQ(*rendezvous->share("port", rank == 0 ? "\"4711\"\n" : "ignored"), "\"4711\"\n");
    EXPECT_EQ(*rendezvous->share("large", rank == 0 ? large : ""), large);
  });
  leave_all(ranks);
}

TEST(Tell, MessagesOfEachRankArriveInOrder) {
  const Ranks ranks = meet_as_threads(3);
  constexpr int kMessages = 500;
  as_threads(3, [&](int rank) {
    for (int i = 0; i < kMessages; ++i) {
      ranks[static_cast<std::size_t>(rank)]->tell(fmt::format("{} of {}\n", i, rank));
    }
    ranks[static_cast<std::size_t>(rank)]->leave("");
  });
  std::array<int, 3> next{};
  for (const auto& [from, text] : ranks[0]->take_messages()) {
    EXPECT_EQ(text, fmt::format("{} of {}\n", next.at(static_cast<std::size_t>(from))++, from));
  }
  EXPECT_THAT(next, testing::Each(kMessages));
  EXPECT_TRUE(ranks[0]->take_messages().empty());
}

TEST(Tell, AMessageOfManyMegabytesArrivesWhole) {
  const Ranks ranks = meet_as_threads(2);
  const std::string large(8 << 20, 'x');
  ranks[1]->tell(large);
  leave_all(ranks);
  const auto messages = ranks[0]->take_messages();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].text, large);
}

TEST(Leave, WithoutAReasonIsNoFailure) {
  const Ranks ranks = meet_as_threads(4);
  leave_all(ranks);
  for (const auto& rank : ranks) EXPECT_EQ(rank->failure(), std::nullopt);
}

TEST(Leave, WithAReasonIsReportedToAllOtherRanks) {
  for (const int who : {0, 1}) {
    const Ranks ranks = meet_as_threads(3);
    ranks[static_cast<std::size_t>(who)]->leave("parameter 'fc.bias' got no gradient");
    EXPECT_EQ(ranks[static_cast<std::size_t>(who)]->failure(), std::nullopt);
    for (int rank = 0; rank < 3; ++rank) {
      if (rank == who) continue;
      EXPECT_EQ(ranks[static_cast<std::size_t>(rank)]->wait_for_failure(kPatient),
                fmt::format("rank {} left: parameter 'fc.bias' got no gradient", who));
    }
  }
}

TEST(Leave, ARunningRankIsToldThatRankZeroLeft) {
  const Ranks ranks = meet_as_threads(3, std::chrono::milliseconds(1500));
  as_threads(2, [&](int rank) { ranks[static_cast<std::size_t>(rank)]->leave(""); });
  EXPECT_EQ(ranks[2]->wait_for_failure(kPatient), "rank 0 left while rank 2 was still running");
  EXPECT_EQ(ranks[0]->failure(), std::nullopt);
}

TEST(Leave, AWaitingCollectiveEndsWithTheReason) {
  const Ranks ranks = meet_as_threads(3);
  as_threads(3, [&](int rank) {
    const auto& rendezvous = ranks[static_cast<std::size_t>(rank)];
    if (rank == 1) return rendezvous->leave("no disk");
    EXPECT_EQ(rendezvous->agree("names", {}).error().message, "rank 1 left: no disk");
  });
}

TEST(OnFailure, IsCalledOnceNowOrLater) {
  const Ranks ranks = meet_as_threads(2);
  std::mutex mutex;
  std::vector<std::string> calls;
  const auto note = [&](const std::string& why) {
    const std::lock_guard lock(mutex);
    calls.push_back(why);
  };
  ranks[0]->on_failure(note);
  ranks[1]->leave("first");
  ranks[0]->leave("");  // joins the thread
  EXPECT_THAT(calls, testing::ElementsAre("rank 1 left: first"));
  ranks[0]->on_failure(note);
  EXPECT_EQ(calls.size(), 2U);
}

}  // namespace
}  // namespace tacho
