#include "experiments/runner/simulated_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string output_on(const SimulatedNetwork& network, int machine,
                      std::vector<std::string> words) {
  const auto output =
      capture(network.on(machine, {.argv = std::move(words)}), std::chrono::seconds(10));
  EXPECT_TRUE(output.ok() && output->status.success());
  return output.ok() ? output->out + output->err : "";
}

TEST(SimulatedNetwork, GivesEachMachineAnAddressAndALinkOfTheRate) {
  const auto network = SimulatedNetwork::make(2, 100);
  if (!network.ok()) {
    EXPECT_EQ(network.error().code, ErrorCode::unavailable);
    GTEST_SKIP() << "SKIPPED: " << network.error().message;
  }
  EXPECT_THAT(output_on(*network, 0, {"ip", "-4", "addr"}), HasSubstr("10.231.0.1/24"));
  EXPECT_THAT(output_on(*network, 1, {"ip", "-4", "addr"}), HasSubstr("10.231.0.2/24"));
  EXPECT_THAT(output_on(*network, 1, {"tc", "qdisc", "show", "dev", "line"}),
              HasSubstr("rate 100Mbit"));
  // This process stays in its namespace.
  const auto here = capture({.argv = {"ip", "-4", "addr"}}, std::chrono::seconds(10));
  EXPECT_THAT(here->out, Not(HasSubstr("10.231.0.")));
}

}  // namespace
}  // namespace tacho
