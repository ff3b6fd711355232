// Clients at rank 0's port that do not know the job secret learn nothing and do not disturb the
// job.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "machine/comm/greeting.h"
#include "machine/comm/handshake.h"
#include "machine/comm/tcp.h"
#include "machine/comm/test_ranks.h"

namespace tacho {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kTerms{"model resnet18", "batch 64"};

void send_text(const UniqueFd& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // closed by rank 0, which is fine
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string read_to_end(const UniqueFd& socket) {
  std::string text;
  std::array<char, 4096> bytes;
  ssize_t got = 0;
  while ((got = ::recv(socket.get(), bytes.data(), bytes.size(), 0)) > 0) {
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::string read_line(const UniqueFd& socket) {
  std::string text;
  char byte = 0;
  while (::recv(socket.get(), &byte, 1, 0) == 1 && byte != '\n') text += byte;
  return text;
}

// Returns the greeting of rank `rank` of `size`, with another batch.
std::string greeting_line(int rank, int size) {
  const Greeting greeting{member_at({.rank = rank, .size = size}), size, {"batch 1"}};
  return json_text(greeting_to_json(greeting)) + "\n";
}

std::vector<std::string> unauthenticated_lines() {
  return {"",
          "\n",
          "GET / HTTP/1.1\r\n\r\n",
          "{}\n",
          "{\"kind\":\"bye\",\"why\":\"x\"}\n",
          std::string("\0\xff\x16\x03\n", 5),
          std::string(2 << 20, 'x'),
          greeting_line(1, 2),
          greeting_line(1, 3),
          greeting_line(7, 2),
          "{\"kind\":\"hello\",\"tacho\":99}\n",
          "{\"kind\":\"proof\",\"nonce\":\"" + std::string(64, '0') + "\",\"mac\":\"" +
              std::string(64, '0') + "\"}\n" + greeting_line(1, 2)};
}

// Runs two ranks; rank 1 connects after `before`, and `during` runs while both are running.
void expect_undisturbed(const TestPort& port, const std::function<void()>& before,
                        const std::function<void()>& during) {
  port.listen();
  std::vector<std::unique_ptr<Rendezvous>> ranks(2);
  as_threads(2, [&](int rank) {
    if (rank == 1) before();
    auto met = Rendezvous::meet(rank_at(port, rank, 2), kTerms);
    ASSERT_TRUE(met.ok()) << met.error().message;
    ranks[static_cast<std::size_t>(rank)] = *std::move(met);
  });
  ASSERT_TRUE(ranks[0] && ranks[1]);
  during();
  as_threads(2, [&](int rank) {
    auto& rendezvous = *ranks[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(rendezvous.agree("names", {"a"}).ok());
    rendezvous.leave("");
    EXPECT_EQ(rendezvous.failure(), std::nullopt);
  });
}

TEST(UnauthenticatedConnections, ChangeNothing) {
  const TestPort port;
  std::vector<UniqueFd> open;
  const auto attack = [&] {
    for (const std::string& line : unauthenticated_lines()) {
      open.push_back(port.connected());
      send_text(open.back(), line);
    }
  };
  expect_undisturbed(port, attack, attack);
}

// Reads everything that rank 0 answers.
TEST(UnauthenticatedConnections, LearnNothingAboutTheJob) {
  const TestPort port;
  const auto probe = [&] {
    for (const std::string& line : unauthenticated_lines()) {
      if (line.empty()) continue;
      const UniqueFd client = port.connected();
      send_text(client, line);
      ::shutdown(client.get(), SHUT_WR);
      const std::string answer = read_to_end(client);
      EXPECT_LE(answer.size(), 110U);
      for (const char* word : {"resnet", "batch", "rank", "host", "pid", "refused", "why"}) {
        EXPECT_THAT(answer, Not(HasSubstr(word)));
      }
    }
  };
  expect_undisturbed(port, probe, probe);
}

TEST(UnauthenticatedConnections, ThatStaySilentDoNotBlockRanks) {
  const TestPort port;
  std::vector<UniqueFd> silent;
  const auto flood = [&] {
    for (int i = 0; i < 200; ++i) silent.push_back(port.connected());
  };
  expect_undisturbed(port, flood, flood);  // the second flood replaces the first
}

// They connect after a rank, and all are pending when rank 0 accepts for the first time.
TEST(UnauthenticatedConnections, ThatFloodRankZeroBeforeItStartsDoNotDisplaceRanks) {
  const TestPort port;
  port.listen();
  const UniqueFd listener(port.handed_over());
  std::jthread other([&] {
    const Met met = Rendezvous::meet(rank_at(port, 1, 2), kTerms);
    ASSERT_TRUE(met.ok()) << met.error().message;
    (*met)->leave("");
  });
  pollfd first{listener.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&first, 1, static_cast<int>(kPatient.count())), 1);
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 400; ++i) silent.push_back(port.connected());
  const Met met = Rendezvous::meet(rank_at(port, 0, 2), kTerms);
  ASSERT_TRUE(met.ok()) << met.error().message;
  (*met)->leave("");
}

// Forwards a connection to rank 0 and records the bytes that the rank sends.
class Relay {
 public:
  explicit Relay(const TestPort& to) : to_(to) {
    from_.listen();
    to_.listen();
    thread_ = std::jthread([this] {
      const UniqueFd listener(from_.handed_over());
      const UniqueFd rank(::accept(listener.get(), nullptr, nullptr));
      const UniqueFd rank_0 = to_.connected();
      std::jthread back([&] { forward(rank_0, rank, nullptr); });
      forward(rank, rank_0, &recorded_);
    });
  }
  [[nodiscard]] const TestPort& port() const { return from_; }
  // Waits until the rank has disconnected.
  std::string recorded() {
    thread_.join();
    return recorded_;
  }

 private:
  static void forward(const UniqueFd& from, const UniqueFd& to, std::string* record) {
    std::array<char, 4096> bytes;
    ssize_t got = 0;
    while ((got = ::recv(from.get(), bytes.data(), bytes.size(), 0)) > 0) {
      const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
      if (record != nullptr) *record += text;
      send_text(to, text);
    }
    ::shutdown(to.get(), SHUT_WR);
  }

  TestPort from_;
  const TestPort& to_;
  std::string recorded_;
  std::jthread thread_;
};

TEST(UnauthenticatedConnections, CannotReplayTheMessagesOfARank) {
  std::string sent;
  {
    const TestPort port;
    Relay relay(port);
    as_threads(2, [&](int rank) {
      auto met = Rendezvous::meet(rank_at(rank == 0 ? port : relay.port(), rank, 2), kTerms);
      ASSERT_TRUE(met.ok()) << met.error().message;
      (*met)->leave("");
    });
    sent = relay.recorded();
  }
  EXPECT_THAT(sent, AllOf(HasSubstr("\"proof\""), HasSubstr("batch 64"), HasSubstr("\"bye\"")));
  const TestPort port;
  std::vector<UniqueFd> open;
  const auto replay = [&] {
    open.push_back(port.connected());
    send_text(open.back(), sent);
    const std::string answer = read_to_end(open.back());
    EXPECT_THAT(answer, Not(HasSubstr("mac")));  // rank 0's proof
  };
  expect_undisturbed(port, replay, replay);
}

TEST(UnauthenticatedConnections, AreCountedInTheErrorAboutAMissingRank) {
  const TestPort port;
  std::vector<std::string> errors(2);
  as_threads(2, [&](int rank) {
    auto options = rank_at(port, rank, 2, std::chrono::seconds(rank == 0 ? 3 : 1));
    if (rank == 1) options.place.secret = "another-secret-than-that";
    const Met met = Rendezvous::meet(options, kTerms);
    ASSERT_FALSE(met.ok());
    errors[static_cast<std::size_t>(rank)] = met.error().message;
  });
  EXPECT_THAT(errors[0], AllOf(StartsWith("rank 1 of 2 did not connect within 3 s"),
                               HasSubstr("without the job secret, the last from 127.0.0.1)")));
  EXPECT_THAT(errors[1],
              EndsWith("closed the connection; is the job secret the same on its machine?"));
}

TEST(UnauthenticatedConnections, WithoutAnySecretAreNotEvenTried) {
  const TestPort port;
  auto options = rank_at(port, 1, 2);
  options.place.secret.clear();
  const Met met = Rendezvous::meet(options, kTerms);
  EXPECT_EQ(met.error().code, ErrorCode::usage);
  EXPECT_THAT(met.error().message,
              HasSubstr("set TACHO_JOB_SECRET to the same value on every rank"));
}

// A program at rank 0's port learns nothing about the job, even if it reflects a rank's proof.
TEST(UnauthenticatedConnections, CannotImpersonateRankZero) {
  const TestPort port;
  port.listen();
  std::string received;
  std::jthread impostor([&] {
    const UniqueFd listener(port.handed_over());
    const UniqueFd rank(::accept(listener.get(), nullptr, nullptr));
    send_text(rank, json_text(ServerHandshake("some-other-secret").challenge()) + "\n");
    received = read_line(rank);
    send_text(rank, received + "\n");
    received += read_to_end(rank);
  });
  const Met met = Rendezvous::meet(rank_at(port, 1, 2, std::chrono::milliseconds(1500)), kTerms);
  ASSERT_FALSE(met.ok());
  impostor.join();
  EXPECT_THAT(received,
              AllOf(HasSubstr("proof"), Not(HasSubstr("batch")), Not(HasSubstr("resnet"))));
}

TEST(UnauthenticatedConnections, OfRanksAreRetriedUntilRankZeroAccepts) {
  const TestPort port;
  port.listen();
  std::jthread other([&] {
    const Met met = Rendezvous::meet(rank_at(port, 1, 2), kTerms);
    ASSERT_TRUE(met.ok()) << met.error().message;
    (*met)->leave("");
  });
  const UniqueFd listener(port.handed_over());
  for (int i = 0; i < 3; ++i) {
    const UniqueFd dropped(::accept(listener.get(), nullptr, nullptr));
    if (i == 1) send_text(dropped, json_text(ServerHandshake(kTestSecret).challenge()) + "\n");
    if (i == 2) send_text(dropped, "HTTP/1.1 400 Bad Request\r\n\r\n");
  }
  const Met met = Rendezvous::meet(rank_at(port, 0, 2), kTerms);
  ASSERT_TRUE(met.ok()) << met.error().message;
  (*met)->leave("");
}

}  // namespace
}  // namespace tacho
