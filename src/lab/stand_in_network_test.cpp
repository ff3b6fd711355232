#include "lab/stand_in_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string said_on(const StandInNetwork& network, int machine, std::vector<std::string> words) {
  const auto said =
      capture(network.on(machine, {.argv = std::move(words)}), std::chrono::seconds(10));
  EXPECT_TRUE(said.ok() && said->status.success());
  return said.ok() ? said->out + said->err : "";
}

TEST(StandInNetwork, GivesEachMachineAnAddressAndALineOfItsRate) {
  const auto network = StandInNetwork::make(2, 100);
  if (!network.ok()) {
    EXPECT_EQ(network.error().code, ErrorCode::unavailable);
    GTEST_SKIP() << "SKIPPED: " << network.error().message;
  }
  EXPECT_THAT(said_on(*network, 0, {"ip", "-4", "addr"}), HasSubstr("10.231.0.1/24"));
  EXPECT_THAT(said_on(*network, 1, {"ip", "-4", "addr"}), HasSubstr("10.231.0.2/24"));
  EXPECT_THAT(said_on(*network, 1, {"tc", "qdisc", "show", "dev", "line"}),
              HasSubstr("rate 100Mbit"));
  // This process stays in its own.
  const auto here = capture({.argv = {"ip", "-4", "addr"}}, std::chrono::seconds(10));
  EXPECT_THAT(here->out, Not(HasSubstr("10.231.0.")));
}

}  // namespace
}  // namespace tacho
