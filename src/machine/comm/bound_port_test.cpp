#include "machine/comm/bound_port.h"

#include <gtest/gtest.h>

#include "machine/comm/tcp.h"

namespace tacho {
namespace {

constexpr std::chrono::seconds kSoon{10};

bool is_reached(const std::string& host, std::uint16_t port) {
  return tacho::connect_to(host, port, std::chrono::steady_clock::now() + kSoon).ok();
}

TEST(BoundPort, OfEveryMachineIsReachedAtTheOwnAddress) {
  const auto bound = bind_port(Reach::every_machine, PortUse::listen);
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  ASSERT_NE(bound->number, 0);
  EXPECT_TRUE(is_reached(own_address(), bound->number)) << own_address();
  EXPECT_TRUE(is_reached("127.0.0.1", bound->number));
}

TEST(BoundPort, OfThisMachineIsOnLoopback) {
  const auto bound = bind_port(Reach::this_machine, PortUse::listen);
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  EXPECT_EQ(local_address(bound->socket), "127.0.0.1");
  EXPECT_TRUE(is_reached("127.0.0.1", bound->number));
}

TEST(BoundPort, CanBeReservedForAnotherSocket) {
  for (const Reach reach : {Reach::this_machine, Reach::every_machine}) {
    const auto bound = bind_port(reach, PortUse::reserve);
    ASSERT_TRUE(bound.ok()) << bound.error().message;
    const char* host = reach == Reach::this_machine ? "127.0.0.1" : "host";
    const auto listener = listen_at(host, bound->number);
    EXPECT_TRUE(listener.ok());
    EXPECT_TRUE(is_reached("127.0.0.1", bound->number));
  }
}

}  // namespace
}  // namespace tacho
