#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "machine/comm/tcp.h"
#include "machine/comm/test_ranks.h"

namespace tacho {
namespace {

using testing::AllOf;
using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::chrono::milliseconds kShort{300};
constexpr std::chrono::milliseconds kSecond{1000};

// Returns the errors of the ranks of a meeting that fails.
std::vector<std::string> errors_of(const std::vector<Rendezvous::Options>& ranks,
                                   const std::vector<std::vector<std::string>>& terms = {}) {
  std::vector<std::string> errors(ranks.size());
  as_threads(static_cast<int>(ranks.size()), [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    const Met met =
        Rendezvous::meet(ranks[at], terms.empty() ? std::vector<std::string>{} : terms[at]);
    if (!met.ok()) errors[at] = met.error().message;
  });
  return errors;
}

TEST(Meeting, EveryRankKnowsAllMembers) {
  const auto ranks = meet_as_threads(4);
  for (const auto& rank : ranks) {
    ASSERT_EQ(rank->members().size(), 4U);
    EXPECT_EQ(rank->members(), ranks[0]->members());
    for (int i = 0; i < 4; ++i) {
      const Member& member = rank->members()[static_cast<std::size_t>(i)];
      EXPECT_EQ(member.rank, i);
      EXPECT_EQ(member.pid, ::getpid());
      EXPECT_EQ(member.address, "127.0.0.1");
      EXPECT_EQ(member.machine, rank->members()[0].machine);
      EXPECT_FALSE(member.host.empty());
    }
  }
}

TEST(Meeting, EndsWhenStopIsSet) {
  const TestPort port;
  for (const int rank : {0, 1}) {
    std::atomic<bool> stop = false;
    auto options = rank_at(port, rank, 2);
    options.stop = &stop;
    std::jthread user([&] { stop = true; });
    EXPECT_FALSE(Rendezvous::meet(options, {}).ok());  // long before the timeout
  }
}

TEST(Meeting, RankZeroMayStartLater) {
  const TestPort port;
  std::jthread early([&] {
    const Met met = Rendezvous::meet(rank_at(port, 1, 2), {});
    ASSERT_TRUE(met.ok()) << met.error().message;
    (*met)->leave("");
  });
  // Leaves time for a first attempt; the ranks meet with or without one.
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  auto options = rank_at(port, 1, 2);
  options.place.rank = 0;
  const Met met = Rendezvous::meet(options, {});
  ASSERT_TRUE(met.ok()) << met.error().message;
  (*met)->leave("");
}

TEST(Meeting, OneRankAloneNeedsNoNetwork) {
  const Met met = Rendezvous::meet({.place = {}}, {"batch 64"});
  ASSERT_TRUE(met.ok());
  EXPECT_EQ((*met)->members().size(), 1U);
  EXPECT_TRUE((*met)->agree("names", {"a"}).ok());
  EXPECT_EQ(*(*met)->share("port", "7"), "7");
  (*met)->tell("x");
  EXPECT_EQ((*met)->take_messages().size(), 1U);
  (*met)->leave("");
}

TEST(Meeting, DifferingTermsAreNamedOnEveryRank) {
  const TestPort port;
  const auto errors =
      errors_of({rank_at(port, 0, 3), rank_at(port, 1, 3), rank_at(port, 2, 3)},
                {{"model a", "batch 64"}, {"model a", "batch 64"}, {"model a", "batch 32"}});
  EXPECT_THAT(errors,
              Each(AllOf(StartsWith("rank 2 (host "), HasSubstr("has 'batch 32' where rank 0"),
                         HasSubstr("has 'batch 64'"), EndsWith("the same options"))));
}

TEST(Meeting, AnotherWorldSizeIsNamedOnEveryRank) {
  const TestPort port;
  const auto errors = errors_of({rank_at(port, 0, 3), rank_at(port, 1, 3), rank_at(port, 2, 4)});
  EXPECT_THAT(errors,
              Each(AllOf(StartsWith("rank 2 (host "), HasSubstr("expects 4 ranks"),
                         HasSubstr("expects 3; start every rank with the same WORLD_SIZE"))));
}

TEST(Meeting, ARankNumberGivenTwiceIsNamedOnEveryRank) {
  const TestPort port;
  const auto errors = errors_of({rank_at(port, 0, 3), rank_at(port, 1, 3), rank_at(port, 1, 3)});
  EXPECT_THAT(errors, Each(StartsWith("two processes claim to be rank 1: pid ")));
}

TEST(Meeting, RefusesAnExtraRankAndContinues) {
  const TestPort port;
  std::vector<std::unique_ptr<Rendezvous>> ranks(2);
  as_threads(2, [&](int rank) {
    ranks[static_cast<std::size_t>(rank)] = *Rendezvous::meet(rank_at(port, rank, 2), {});
  });
  const Met third = Rendezvous::meet(rank_at(port, 1, 2), {});
  ASSERT_FALSE(third.ok());
  EXPECT_THAT(third.error().message, EndsWith("is already running; was it started twice?"));
  as_threads(2, [&](int rank) {
    EXPECT_TRUE(ranks[static_cast<std::size_t>(rank)]->agree("names", {"a"}).ok());
    ranks[static_cast<std::size_t>(rank)]->leave("");
    EXPECT_EQ(ranks[static_cast<std::size_t>(rank)]->failure(), std::nullopt);
  });
}

TEST(Meeting, AllOthersNameAMissingRank) {
  const TestPort port;
  const auto errors = errors_of({rank_at(port, 0, 3, kSecond), rank_at(port, 1, 3, kPatient)});
  EXPECT_THAT(errors, Each(fmt::format("rank 2 of 3 did not connect within 1 s; is it running, and "
                                       "can its machine reach 127.0.0.1:{}?",
                                       port.number())));
}

TEST(Meeting, WithoutRankZeroTheOthersNameItsAddress) {
  const TestPort port;
  const Met met = Rendezvous::meet(rank_at(port, 1, 2, kShort), {});
  EXPECT_EQ(
      met.error().message,
      fmt::format("cannot connect to rank 0 at 127.0.0.1:{} within 0.3 s: Connection refused; "
                  "is it running, and can this machine reach it?",
                  port.number()));
}

TEST(Meeting, APortThatNeverAnswersIsAnErrorAfterTheTimeout) {
  const TestPort port;
  port.listen();
  const Met met = Rendezvous::meet(rank_at(port, 1, 2, kShort), {});
  EXPECT_EQ(met.error().message, fmt::format("rank 0 at 127.0.0.1:{} did not answer within 0.3 s; "
                                             "is it running?",
                                             port.number()));
}

TEST(Meeting, DetectsAnotherProgramAtThePort) {
  const TestPort port;
  const UniqueFd listener(port.handed_over());
  std::jthread other([&] {
    while (true) {
      const UniqueFd client(::accept(listener.get(), nullptr, nullptr));
      if (!client) break;
      EXPECT_TRUE(write_all(client.get(), "HTTP/1.1 400 Bad Request\r\n\r\n", "client").ok());
      std::array<char, 4096> ignored;
      while (::read(client.get(), ignored.data(), ignored.size()) > 0) {
      }
    }
  });
  const Met met = Rendezvous::meet(rank_at(port, 1, 2, kSecond), {});
  ::shutdown(listener.get(), SHUT_RDWR);
  EXPECT_THAT(met.error().message, EndsWith("does another program use the port?"));
}

TEST(Meeting, APortInUseIsAnErrorWithTheFix) {
  const TestPort port;
  port.listen();
  auto options = rank_at(port, 1, 2);
  options.place.rank = 0;
  const auto wanted =
      fmt::format("port {} is in use; choose another with --rendezvous HOST:PORT", port.number());
  EXPECT_EQ(Rendezvous::meet(options, {}).error().message, wanted);
  options.place.host = "some.other.host";
  EXPECT_EQ(Rendezvous::meet(options, {}).error().message, wanted);
}

TEST(Meeting, RefusesADescriptorThatDoesNotListen) {
  const TestPort port;
  auto options = rank_at(port, 1, 2);
  options.place.rank = 0;
  options.place.listen_fd = 12345;
  EXPECT_THAT(Rendezvous::meet(options, {}).error().message,
              StartsWith("descriptor 12345 is not a listening socket"));
  options.place.rank = 2;
  EXPECT_EQ(Rendezvous::meet(options, {}).error().code, ErrorCode::usage);
}

// Connections that send various bytes without authentication and stay open until the end.
class UnauthenticatedPeers {
 public:
  explicit UnauthenticatedPeers(const TestPort& port) {
    const std::string nested(400000, '[');
    for (const std::string& bytes :
         {std::string(), std::string("\n\n"), std::string("GET / HTTP/1.1\r\n\r\n"),
          std::string("\0\xff\x16\x03\n", 5), std::string("{}\n"), std::string("[]\n"),
          std::string("{\"kind\":\"hello\""), nested + "\n",
          nested + std::string(400000, ']') + "\n",
          std::string("{\"kind\":\"hello\",\"tacho\":1,\"member\":7,\"size\":2,\"terms\":{}}\n"),
          std::string("{\"kind\":\"bye\",\"why\":\"x\"}\n"), std::string(3 << 20, 'x')}) {
      sockets_.push_back(port.connected());
      senders_.emplace_back([fd = sockets_.back().get(), bytes] { send_until_refused(fd, bytes); });
    }
  }
  ~UnauthenticatedPeers() {
    for (const UniqueFd& socket : sockets_) ::shutdown(socket.get(), SHUT_RDWR);
  }
  UnauthenticatedPeers(const UnauthenticatedPeers&) = delete;
  UnauthenticatedPeers& operator=(const UnauthenticatedPeers&) = delete;

 private:
  static void send_until_refused(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  std::vector<UniqueFd> sockets_;
  std::vector<std::jthread> senders_;
};

TEST(Meeting, UnauthenticatedPeersChangeNothing) {
  const TestPort port;
  port.listen();
  const UnauthenticatedPeers before(port);
  std::vector<std::unique_ptr<Rendezvous>> ranks(3);
  as_threads(3, [&](int rank) {
    auto met = Rendezvous::meet(rank_at(port, rank, 3), {});
    ASSERT_TRUE(met.ok()) << met.error().message;
    ranks[static_cast<std::size_t>(rank)] = *std::move(met);
  });
  const UnauthenticatedPeers after(port);
  as_threads(3, [&](int rank) {
    auto& rendezvous = *ranks[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(rendezvous.agree("names", {"a"}).ok());
    rendezvous.leave("");
    EXPECT_EQ(rendezvous.failure(), std::nullopt);
  });
}

TEST(Tcp, FormatsAnEndpointAsTyped) {
  EXPECT_EQ(endpoint("b", 29500), "b:29500");
  EXPECT_EQ(endpoint("::1", 29500), "[::1]:29500");
}

}  // namespace
}  // namespace tacho
