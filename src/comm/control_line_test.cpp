#include "comm/control_line.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

namespace tacho {
namespace {

// Two ends of a line on this machine; nothing waits.
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
  std::optional<ControlLine> one;
  std::optional<ControlLine> other;
};

// As they are on the wire, both lines with the marks they were sent with.
std::string sealed_lines(const std::vector<Json>& messages) {
  Ends ends;
  ends.one->seal({.outgoing = "a", .incoming = "b"});
  for (const Json& message : messages) ends.one->queue(message);
  ends.one->flush();
  std::array<char, 4096> bytes;
  const ssize_t got = ::recv(ends.other->socket().get(), bytes.data(), bytes.size(), 0);
  return {bytes.data(), static_cast<std::size_t>(got)};
}

// What a sealed end makes of bytes that came.
struct Heard {
  std::size_t messages;
  ControlLine::State state;
};
Heard hear(const std::string& bytes) {
  Ends ends;
  ends.other->seal({.outgoing = "b", .incoming = "a"});
  if (!write_all(ends.one->socket().get(), bytes, "line").ok()) broken_invariant("no room");
  const auto messages = ends.other->receive();
  return {messages.size(), ends.other->state()};
}

TEST(ControlLine, CarriesMessagesBothWaysPlainAndSealed) {
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

TEST(ControlLine, TakesOnlyWhatTheOtherEndSealedInItsOrder) {
  const std::string lines = sealed_lines({{{"kind", "x"}}, {{"kind", "y"}}});
  const std::string first = lines.substr(0, lines.find('\n') + 1);
  const std::string second = lines.substr(first.size());
  EXPECT_EQ(hear(lines).messages, 2U);
  EXPECT_EQ(hear(lines).state, ControlLine::State::open);
  for (const std::string& bad :
       {second, first + first, second + first, std::string("{\"kind\":\"x\"}\n"), std::string("\n"),
        first.substr(0, 63) + "\n"}) {
    EXPECT_LE(hear(bad).messages, 1U);
    EXPECT_EQ(hear(bad).state, ControlLine::State::foreign) << bad;
  }
  std::string altered = first;
  altered[altered.size() - 3] ^= 1;
  EXPECT_EQ(hear(altered).state, ControlLine::State::foreign);
}

TEST(ControlLine, TakesNoLongLineBeforeItIsSealed) {
  Ends ends;
  ends.one->queue({{"kind", std::string(kLongestProof, 'x')}});
  ends.one->flush();
  EXPECT_TRUE(ends.other->receive().empty());
  EXPECT_EQ(ends.other->state(), ControlLine::State::foreign);
}

}  // namespace
}  // namespace tacho
