#include "comm/shm_meeting.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>

#include "comm/shm_process.h"
#include "comm/shm_test_ranks.h"

namespace tacho {
namespace {

using std::chrono::milliseconds;

std::string nothing(ShmGroup&) { return ""; }

UniqueFd connect_to(const std::string& name) {
  const std::string text = "tacho-shm-" + name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(text.begin(), text.end(), address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  while (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) {
    std::this_thread::yield();
  }
  return fd;
}

TEST(ShmMeeting, SaysWhoHasNotCome) {
  const ShmGroup::Options options{
      .name = unique_name(), .rank = 0, .size = 3, .timeout = milliseconds(150)};
  TestRank first([&] { return joined(options, nothing); });
  TestRank second([&] {
    auto mine = options;
    mine.rank = 1;
    mine.timeout = milliseconds(5000);
    return joined(mine, nothing);
  });
  // Rank 1 need not wait for its own time to pass: rank 0 tells it.
  EXPECT_EQ(first.said(), "rank 2 has not come to join the group for 150 ms");
  EXPECT_EQ(second.said(), "rank 2 has not come to join the group for 150 ms");
  EXPECT_EQ(
      joined({.name = unique_name(), .rank = 1, .size = 2, .timeout = milliseconds(20)}, nothing),
      "rank 0 has not come to join the group for 20.0 ms");
}

TEST(ShmMeeting, NoticesWhoIsKilledWhileOthersAreAwaited) {
  const ShmGroup::Options options{.name = unique_name(), .rank = 0, .size = 3};
  TestRank first([&] { return joined(options, nothing); });
  SCOPED_TRACE("rank 1 speaks by hand, so that it is known when rank 0 has heard it");
  TestRank second([&] {
    const ShmMeeting meeting{options.name, 1, 3, options.slot_bytes, options.timeout};
    auto invitation = meeting.attend(ShmGroup::segment_bytes(options));
    return std::string(invitation.ok() ? "" : invitation.error().message);
  });
  EXPECT_EQ(first.said(), fmt::format("rank 1 (pid {}) is gone", second.pid()));
  EXPECT_EQ(second.said(), "");
}

TEST(ShmMeeting, ANameIsFreeAsSoonAsItsHolderIsKilled) {
  const ShmGroup::Options options{.name = unique_name(), .rank = 0, .size = 2};
  for (int round = 0; round < 3; ++round) {
    const TestRank waits([&] { return joined(options, nothing); });
    const UniqueFd seen = connect_to(options.name);  // now it holds the name
  }
  auto ranks = start_processes(options, nothing);
  EXPECT_EQ(ranks[0].said(), "");
  EXPECT_EQ(ranks[1].said(), "");
}

TEST(ShmMeeting, RefusesASecondRankZeroAndOtherSizes) {
  const ShmGroup::Options options{.name = unique_name(), .rank = 0, .size = 2};
  TestRank first([&] { return joined(options, nothing); });
  { const UniqueFd seen = connect_to(options.name); }
  EXPECT_EQ(joined(options, nothing), "another process is rank 0 of the group '" + options.name +
                                          "' now: give every job a name of its own");
  const std::string expected =
      "rank 1 expects 3 ranks with 262144 bytes each, but rank 0 2 with 262144";
  EXPECT_EQ(joined({.name = options.name, .rank = 1, .size = 3}, nothing), expected);
  EXPECT_EQ(first.said(), expected);
}

TEST(ShmMeeting, IgnoresWhoSpeaksNonsense) {
  const ShmGroup::Options options{.name = unique_name(), .rank = 0, .size = 2};
  TestRank first([&] { return joined(options, nothing); });
  for (const std::size_t length : {0, 1, 31, 32, 33, 5000}) {
    const UniqueFd stranger = connect_to(options.name);
    const std::string words(length, '\xA5');
    ::send(stranger.get(), words.data(), words.size(), MSG_NOSIGNAL);
  }
  TestRank second([&] {
    auto mine = options;
    mine.rank = 1;
    return joined(mine, nothing);
  });
  EXPECT_EQ(first.said(), "");
  EXPECT_EQ(second.said(), "");
}

TEST(ProcessMark, AZombieAndAReusedNumberAreGone) {
  EXPECT_FALSE(ProcessMark::of_self().is_gone());
  ProcessMark other = ProcessMark::of_self();
  other.started += 1;
  EXPECT_TRUE(other.is_gone());

  TestRank child([] { return ""; });
  child.said();
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE((ProcessMark{child.pid(), 1, 0}.is_gone()));
}

}  // namespace
}  // namespace tacho
