#include "machine/comm/shm_rendezvous.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>

#include "machine/comm/shm_process.h"
#include "machine/comm/shm_test_ranks.h"

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

TEST(ShmRendezvous, NamesAMissingRank) {
  const ShmGroup::Options options{
      .name = unique_name(), .rank = 0, .size = 3, .timeout = milliseconds(150)};
  TestRank first([&] { return joined(options, nothing); });
  TestRank second([&] {
    auto mine = options;
    mine.rank = 1;
    mine.timeout = milliseconds(5000);
    return joined(mine, nothing);
  });
  // Rank 1 does not wait for its own timeout: rank 0 reports the error to it.
  EXPECT_EQ(first.message(), "rank 2 did not join the group within 150 ms");
  EXPECT_EQ(second.message(), "rank 2 did not join the group within 150 ms");
  EXPECT_EQ(
      joined({.name = unique_name(), .rank = 1, .size = 2, .timeout = milliseconds(20)}, nothing),
      "rank 0 did not join the group within 20.0 ms");
}

TEST(ShmRendezvous, DetectsARankThatIsKilledWhileOthersAreMissing) {
  const ShmGroup::Options options{.name = unique_name(), .rank = 0, .size = 3};
  TestRank first([&] { return joined(options, nothing); });
  SCOPED_TRACE("rank 1 calls join() directly, so that rank 0 has surely accepted it");
  TestRank second([&] {
    const ShmRendezvous meeting{options.name, 1, 3, options.slot_bytes, options.timeout};
    auto accepted = meeting.join(ShmGroup::segment_bytes(options));
    return std::string(accepted.ok() ? "" : accepted.error().message);
  });
  EXPECT_EQ(first.message(), fmt::format("rank 1 (pid {}) died", second.pid()));
  EXPECT_EQ(second.message(), "");
}

TEST(ShmRendezvous, ANameIsFreeAsSoonAsItsHolderIsKilled) {
  const ShmGroup::Options options{.name = unique_name(), .rank = 0, .size = 2};
  for (int round = 0; round < 3; ++round) {
    const TestRank waits([&] { return joined(options, nothing); });
    const UniqueFd seen = connect_to(options.name);  // now it holds the name
  }
  auto ranks = start_processes(options, nothing);
  EXPECT_EQ(ranks[0].message(), "");
  EXPECT_EQ(ranks[1].message(), "");
}

TEST(ShmRendezvous, RejectsASecondRankZeroAndOtherSizes) {
  const ShmGroup::Options options{.name = unique_name(), .rank = 0, .size = 2};
  TestRank first([&] { return joined(options, nothing); });
  { const UniqueFd seen = connect_to(options.name); }
  EXPECT_EQ(joined(options, nothing), "another process is already rank 0 of the group '" +
                                          options.name + "': give every job a unique name");
  const std::string expected =
      "rank 1 expects 3 ranks with 262144 bytes each, but rank 0 expects 2 with 262144";
  EXPECT_EQ(joined({.name = options.name, .rank = 1, .size = 3}, nothing), expected);
  EXPECT_EQ(first.message(), expected);
}

TEST(ShmRendezvous, IgnoresInvalidMessages) {
  const ShmGroup::Options options{.name = unique_name(), .rank = 0, .size = 2};
  TestRank first([&] { return joined(options, nothing); });
  for (const std::size_t length : {0, 1, 31, 32, 33, 5000}) {
    const UniqueFd unauthenticated = connect_to(options.name);
    const std::string words(length, '\xA5');
    ::send(unauthenticated.get(), words.data(), words.size(), MSG_NOSIGNAL);
  }
  TestRank second([&] {
    auto mine = options;
    mine.rank = 1;
    return joined(mine, nothing);
  });
  EXPECT_EQ(first.message(), "");
  EXPECT_EQ(second.message(), "");
}

TEST(ProcessIdentity, AZombieAndAReusedPidAreGone) {
  EXPECT_FALSE(ProcessIdentity::of_self().is_gone());
  ProcessIdentity other = ProcessIdentity::of_self();
  other.started += 1;
  EXPECT_TRUE(other.is_gone());

  TestRank child([] { return ""; });
  child.message();
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE((ProcessIdentity{child.pid(), 1, 0}.is_gone()));
}

}  // namespace
}  // namespace tacho
