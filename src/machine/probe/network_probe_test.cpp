#include "machine/probe/network_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "machine/probe/fixture_root.h"

namespace tacho {
namespace {

constexpr std::string_view kDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n"
    "    lo: 9999999   10    0    0    0     0          0         0  9999999   10    0    0 0 0 0 "
    "0\n"
    "  eth0:1000       10    0    0    0     0          0         0      200   10    0    0 0 0 0 "
    "0\n"
    "eth0:1:   7       10    0    0    0     0          0         0        8   10    0    0 0 0 0 "
    "0\n";

TEST(NetDev, AddsUpAllInterfacesExceptLoopback) {
  const auto bytes = parse_net_dev(kDev);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->received, 1007);
  EXPECT_EQ(bytes->sent, 208);
  EXPECT_FALSE(parse_net_dev("nothing"));
}

TEST(NetDev, SurvivesAnyBytes) {
  Random random(9, 0);
  for (int i = 0; i < 5000; ++i) {
    std::string text(kDev);
    for (int hits = 0; hits < 1 + i % 8; ++hits) {
      const auto at = random.below(static_cast<std::int64_t>(text.size()));
      text[static_cast<std::size_t>(at)] = static_cast<char>(random.below(256));
    }
    const auto bytes = parse_net_dev(text);
    if (bytes) {
      EXPECT_GE(bytes->received, 0);
    }
  }
}

TEST(NetworkProbe, CountsFromItsConstruction) {
  FixtureRoot root;
  root.put("proc/7/net/dev", kDev);
  NetworkProbe probe(7, root.path());
  EXPECT_EQ(probe.problem(), "");
  std::string later(kDev);
  later.replace(later.find("eth0:1000"), 9, "eth0:5000");
  root.put("proc/7/net/dev", later);
  UsageSample sample;
  probe.look(sample);
  EXPECT_EQ(sample.net_rx_bytes, 4000);
  EXPECT_EQ(sample.net_tx_bytes, 0);
}

TEST(NetworkProbe, ReportsWhatIsMissing) {
  const FixtureRoot root;
  NetworkProbe probe(7, root.path());
  EXPECT_THAT(probe.problem(), testing::HasSubstr("net/dev"));
  UsageSample sample;
  probe.look(sample);
  EXPECT_EQ(sample.net_rx_bytes, std::nullopt);
}

}  // namespace
}  // namespace tacho
