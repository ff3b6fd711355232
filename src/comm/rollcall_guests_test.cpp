// What connects to rank 0's port and does not know the job's secret: it learns nothing, and the job
// does not notice it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "comm/greeting.h"
#include "comm/handshake.h"
#include "comm/tcp.h"
#include "comm/test_ranks.h"

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
    if (sent <= 0) return;  // closed in between, which is as good
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

// A greeting as rank `rank` of `size` would send it, with another batch.
std::string greeting_line(int rank, int size) {
  const Greeting greeting{member_at({.rank = rank, .size = size}), size, {"batch 1"}};
  return json_text(greeting_to_json(greeting)) + "\n";
}

std::vector<std::string> uninvited_lines() {
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

// Two ranks; rank 1 comes once `before` is done, and `during` happens while they are at work.
void expect_undisturbed(const TestPort& port, const std::function<void()>& before,
                        const std::function<void()>& during) {
  port.listen();
  std::vector<std::unique_ptr<Rollcall>> ranks(2);
  as_threads(2, [&](int rank) {
    if (rank == 1) before();
    auto met = Rollcall::meet(rank_at(port, rank, 2), kTerms);
    ASSERT_TRUE(met.ok()) << met.error().message;
    ranks[static_cast<std::size_t>(rank)] = *std::move(met);
  });
  ASSERT_TRUE(ranks[0] && ranks[1]);
  during();
  as_threads(2, [&](int rank) {
    auto& rollcall = *ranks[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(rollcall.agree("names", {"a"}).ok());
    rollcall.leave("");
    EXPECT_EQ(rollcall.trouble(), std::nullopt);
  });
}

TEST(Guests, WithoutTheSecretChangeNothing) {
  const TestPort port;
  std::vector<UniqueFd> open;
  const auto attack = [&] {
    for (const std::string& line : uninvited_lines()) {
      open.push_back(port.connected());
      send_text(open.back(), line);
    }
  };
  expect_undisturbed(port, attack, attack);
}

// What is sent once rank 0 has heard the line is read to its end: nothing is left unsaid.
TEST(Guests, WithoutTheSecretLearnNothingOfTheJob) {
  const TestPort port;
  const auto probe = [&] {
    for (const std::string& line : uninvited_lines()) {
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

TEST(Guests, ThatSayNothingTakeNoRanksPlace) {
  const TestPort port;
  std::vector<UniqueFd> silent;
  const auto flood = [&] {
    for (int i = 0; i < 200; ++i) silent.push_back(port.connected());
  };
  expect_undisturbed(port, flood, flood);  // the second lot makes the first one go
}

// They come after a rank, and all of them wait when rank 0 looks for the first time.
TEST(Guests, ThatComeInAFloodBeforeRankZeroLooksPushNoRankOut) {
  const TestPort port;
  port.listen();
  const UniqueFd listener(port.handed_over());
  std::jthread other([&] {
    const Met met = Rollcall::meet(rank_at(port, 1, 2), kTerms);
    ASSERT_TRUE(met.ok()) << met.error().message;
    (*met)->leave("");
  });
  pollfd first{listener.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&first, 1, static_cast<int>(kPatient.count())), 1);
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 400; ++i) silent.push_back(port.connected());
  const Met met = Rollcall::meet(rank_at(port, 0, 2), kTerms);
  ASSERT_TRUE(met.ok()) << met.error().message;
  (*met)->leave("");
}

// A rank's bytes to rank 0, noted on their way.
class Relay {
 public:
  explicit Relay(const TestPort& to) : to_(to) {
    from_.listen();
    to_.listen();
    thread_ = std::jthread([this] {
      const UniqueFd listener(from_.handed_over());
      const UniqueFd rank(::accept(listener.get(), nullptr, nullptr));
      const UniqueFd hub = to_.connected();
      std::jthread back([&] { pass(hub, rank, nullptr); });
      pass(rank, hub, &noted_);
    });
  }
  [[nodiscard]] const TestPort& port() const { return from_; }
  // Once the rank is gone.
  std::string noted() {
    thread_.join();
    return noted_;
  }

 private:
  static void pass(const UniqueFd& from, const UniqueFd& to, std::string* note) {
    std::array<char, 4096> bytes;
    ssize_t got = 0;
    while ((got = ::recv(from.get(), bytes.data(), bytes.size(), 0)) > 0) {
      const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
      if (note != nullptr) *note += text;
      send_text(to, text);
    }
    ::shutdown(to.get(), SHUT_WR);
  }

  TestPort from_;
  const TestPort& to_;
  std::string noted_;
  std::jthread thread_;
};

TEST(Guests, ThatRepeatWhatARankSaidAreNotTakenForIt) {
  std::string said;
  {
    const TestPort port;
    Relay relay(port);
    as_threads(2, [&](int rank) {
      auto met = Rollcall::meet(rank_at(rank == 0 ? port : relay.port(), rank, 2), kTerms);
      ASSERT_TRUE(met.ok()) << met.error().message;
      (*met)->leave("");
    });
    said = relay.noted();
  }
  EXPECT_THAT(said, AllOf(HasSubstr("\"proof\""), HasSubstr("batch 64"), HasSubstr("\"bye\"")));
  const TestPort port;
  std::vector<UniqueFd> open;
  const auto repeat = [&] {
    open.push_back(port.connected());
    send_text(open.back(), said);
    const std::string answer = read_to_end(open.back());
    EXPECT_THAT(answer, Not(HasSubstr("mac")));  // of rank 0
  };
  expect_undisturbed(port, repeat, repeat);
}

TEST(Guests, WithAnotherSecretAreCountedWhereARankIsMissed) {
  const TestPort port;
  std::vector<std::string> told(2);
  as_threads(2, [&](int rank) {
    auto options = rank_at(port, rank, 2, std::chrono::seconds(rank == 0 ? 3 : 1));
    if (rank == 1) options.place.secret = "another-secret-than-that";
    const Met met = Rollcall::meet(options, kTerms);
    ASSERT_FALSE(met.ok());
    told[static_cast<std::size_t>(rank)] = met.error().message;
  });
  EXPECT_THAT(told[0], AllOf(StartsWith("rank 1 of 2 has not come within 3 s"),
                             HasSubstr("without the job's secret came, the last from 127.0.0.1)")));
  EXPECT_THAT(told[1],
              EndsWith("closed the connection; is the job secret the same on its machine?"));
}

TEST(Guests, WithoutAnySecretAreRefusedAtHome) {
  const TestPort port;
  auto options = rank_at(port, 1, 2);
  options.place.secret.clear();
  const Met met = Rollcall::meet(options, kTerms);
  EXPECT_EQ(met.error().code, ErrorCode::usage);
  EXPECT_THAT(met.error().message, HasSubstr("set TACHO_JOB_SECRET to the same on every rank"));
}

// Something else at rank 0's port: it hears nothing of the job, and does not get it by sending a
// rank its own proof.
TEST(Guests, MayNotStandInForRankZero) {
  const TestPort port;
  port.listen();
  std::string heard;
  std::jthread impostor([&] {
    const UniqueFd listener(port.handed_over());
    const UniqueFd rank(::accept(listener.get(), nullptr, nullptr));
    send_text(rank, json_text(HubHandshake("some-other-secret").challenge()) + "\n");
    heard = read_line(rank);
    send_text(rank, heard + "\n");
    heard += read_to_end(rank);
  });
  const Met met = Rollcall::meet(rank_at(port, 1, 2, std::chrono::milliseconds(1500)), kTerms);
  ASSERT_FALSE(met.ok());
  impostor.join();
  EXPECT_THAT(heard, AllOf(HasSubstr("proof"), Not(HasSubstr("batch")), Not(HasSubstr("resnet"))));
}

TEST(Guests, ThatAreRanksTryAgainUntilRankZeroTakesThem) {
  const TestPort port;
  port.listen();
  std::jthread other([&] {
    const Met met = Rollcall::meet(rank_at(port, 1, 2), kTerms);
    ASSERT_TRUE(met.ok()) << met.error().message;
    (*met)->leave("");
  });
  const UniqueFd listener(port.handed_over());
  for (int i = 0; i < 3; ++i) {
    const UniqueFd dropped(::accept(listener.get(), nullptr, nullptr));
    if (i == 1) send_text(dropped, json_text(HubHandshake(kTestSecret).challenge()) + "\n");
    if (i == 2) send_text(dropped, "HTTP/1.1 400 Bad Request\r\n\r\n");
  }
  const Met met = Rollcall::meet(rank_at(port, 0, 2), kTerms);
  ASSERT_TRUE(met.ok()) << met.error().message;
  (*met)->leave("");
}

}  // namespace
}  // namespace tacho
