#include "machine/comm/slurm_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ExpandHosts, KeepsLeadingZerosAndTheOrder) {
  EXPECT_THAT(*expand_hosts("node[1-3,07],gpu5"),
              ElementsAre("node1", "node2", "node3", "node07", "gpu5"));
  EXPECT_THAT(*expand_hosts("n[098-101]"), ElementsAre("n098", "n099", "n100", "n101"));
  EXPECT_THAT(*expand_hosts("login"), ElementsAre("login"));
}

TEST(ExpandHosts, AcceptsSuffixesAndSeveralBrackets) {
  EXPECT_THAT(*expand_hosts("n[1-2]-ib,m3"), ElementsAre("n1-ib", "n2-ib", "m3"));
  EXPECT_THAT(*expand_hosts("rack[0-1]n[8,9]"),
              ElementsAre("rack0n8", "rack0n9", "rack1n8", "rack1n9"));
}

TEST(ExpandHosts, RejectsMalformedLists) {
  for (const char* bad : {"", ",", "a,", "n[", "n]", "n[]", "n[1", "n1]", "n[1-]", "n[-1]",
                          "n[2-1]", "n[1,]", "n[a]", "n[[1]]", "a b", "n[1-3-5]"}) {
    const auto got = expand_hosts(bad);
    ASSERT_FALSE(got.ok()) << bad;
    EXPECT_THAT(got.error().message, HasSubstr("is not a valid Slurm node list")) << bad;
  }
}

TEST(ExpandHosts, RejectsListsOfMoreNodesThanAnyCluster) {
  for (const char* bad : {"n[0-18446744073709551615]", "n[0-131072]", "a[0-999]b[0-999]",
                          "a[1-65536],b[1-65536],c", "n[99999999999999999999]"}) {
    EXPECT_FALSE(expand_hosts(bad).ok()) << bad;
  }
  EXPECT_EQ(expand_hosts("n[0-131071]")->size(), 131072U);
}

TEST(TasksOnNode, CountsRepeatedEntries) {
  const std::vector<std::int64_t> expected{2, 2, 2, 1, 40};
  for (std::int64_t node = 0; node < 5; ++node) {
    EXPECT_EQ(*tasks_on_node("2(x3),1,40", node), expected[static_cast<std::size_t>(node)]);
  }
}

TEST(TasksOnNode, RejectsANodeThatIsNotInTheList) {
  EXPECT_THAT(tasks_on_node("2(x3),1", 4).error().message, HasSubstr("no entry for node 4"));
  EXPECT_FALSE(tasks_on_node("2", -1).ok());
}

TEST(TasksOnNode, RejectsMalformedLists) {
  for (const char* bad : {"", ",", "2,", "x", "2(3)", "2(x)", "2(x3", "2(x3)4", "2(x", "2(x0)",
                          "-1", "2(x99999999999)", "99999999999"}) {
    const auto got = tasks_on_node(bad, 0);
    ASSERT_FALSE(got.ok()) << bad;
    EXPECT_THAT(got.error().message, HasSubstr("is not a valid Slurm list of tasks")) << bad;
  }
}

// Arbitrary text never crashes and never gives an invalid list.
TEST(SlurmLists, SurviveArbitraryTexts) {
  constexpr std::string_view kAlphabet = "n[]-,0123(x)9 \xff";
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 2 == 0 ? "node[1-3,07],gpu5" : "2(x3),1";
    const auto changes = 1 + random() % 4;
    for (unsigned change = 0; change < changes && !text.empty(); ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kAlphabet[random() % kAlphabet.size()];
          break;
        case 1:
          text.insert(at, 1, kAlphabet[random() % kAlphabet.size()]);
          break;
        default:
          text.erase(at, 1 + random() % 3);
      }
    }
    if (const auto hosts = expand_hosts(text); hosts.ok()) {
      ASSERT_FALSE(hosts->empty());
      for (const std::string& host : *hosts) ASSERT_FALSE(host.empty()) << text;
    }
    const auto tasks = tasks_on_node(text, 1);
    ASSERT_TRUE(!tasks.ok() || *tasks >= 0) << text;
  }
}

}  // namespace
}  // namespace tacho
