#include "machine/comm/control_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

namespace tacho {
namespace {

// Both ends of a local connection, non-blocking.
struct Ends {
  Ends() {
    std::array<int, 2> fds{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()) != 0) {
      broken_invariant("no pair of sockets");
    }
    one.emplace(UniqueFd(fds[0]));
    other.emplace(UniqueFd(fds[1]));
  }
  void seal() {
    one->seal({.outgoing = "a", .incoming = "b"});
    other->seal({.outgoing = "b", .incoming = "a"});
  }
  std::optional<ControlConnection> one;
  std::optional<ControlConnection> other;
};

// Returns the bytes of the sealed messages as they are on the wire.
std::string sealed_lines(const std::vector<Json>& messages) {
  Ends ends;
  ends.one->seal({.outgoing = "a", .incoming = "b"});
  for (const Json& message : messages) ends.one->queue(message);
  ends.one->flush();
  std::array<char, 4096> bytes;
  const ssize_t got = ::recv(ends.other->socket().get(), bytes.data(), bytes.size(), 0);
  return {bytes.data(), static_cast<std::size_t>(got)};
}

// The result of feeding bytes into a sealed end.
struct Received {
  std::size_t messages;
  ControlConnection::State state;
};
Received receive_bytes(const std::string& bytes) {
  Ends ends;
  ends.other->seal({.outgoing = "b", .incoming = "a"});
  if (!write_all(ends.one->socket().get(), bytes, "socket").ok()) broken_invariant("send failed");
  const auto messages = ends.other->receive();
  return {messages.size(), ends.other->state()};
}

TEST(ControlConnection, CarriesMessagesBothWaysPlainAndSealed) {
  Ends ends;
  ends.one->queue({{"kind", "a"}});
  ends.one->flush();
  EXPECT_EQ(ends.other->receive().size(), 1U);
  ends.seal();
  for (int i = 0; i < 3; ++i) {
    ends.one->queue({{"kind", "a"}, {"i", i}});
    ends.other->queue({{"kind", "b"}, {"i", i}});
    ends.one->flush();
    ends.other->flush();
    EXPECT_EQ(ends.one->receive().front()["i"], i);
    EXPECT_EQ(ends.other->receive().front()["i"], i);
  }
}

TEST(ControlConnection, AcceptsOnlySealedLinesInOrder) {
  const std::string lines = sealed_lines({{{"kind", "x"}}, {{"kind", "y"}}});
  const std::string first = lines.substr(0, lines.find('\n') + 1);
  const std::string second = lines.substr(first.size());
  EXPECT_EQ(receive_bytes(lines).messages, 2U);
  EXPECT_EQ(receive_bytes(lines).state, ControlConnection::State::open);
  for (const std::string& bad :
       {second, first + first, second + first, std::string("{\"kind\":\"x\"}\n"), std::string("\n"),
        first.substr(0, 63) + "\n"}) {
    EXPECT_LE(receive_bytes(bad).messages, 1U);
    EXPECT_EQ(receive_bytes(bad).state, ControlConnection::State::invalid) << bad;
  }
  std::string altered = first;
  altered[altered.size() - 3] ^= 1;
  EXPECT_EQ(receive_bytes(altered).state, ControlConnection::State::invalid);
}

TEST(ControlConnection, RejectsLongLinesBeforeItIsSealed) {
  Ends ends;
  ends.one->queue({{"kind", std::string(kLongestProof, 'x')}});
  ends.one->flush();
  EXPECT_TRUE(ends.other->receive().empty());
  EXPECT_EQ(ends.other->state(), ControlConnection::State::invalid);
}

}  // namespace
}  // namespace tacho
