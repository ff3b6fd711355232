#include "predict/rent/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class CatalogTest : public testing::Test {
 protected:
  ScratchFolder home_;
  Catalog catalog_{home_.path()};

  static Instance machine(std::string name) {
    return {.region = "here",
            .name = std::move(name),
            .gpu = "RTX4090",
            .gpus = 2,
            .vcpus = 16,
            .memory_gib = 64,
            .on_demand_usd_h = 0.25,
            .date = "2026-11-15",
            .source = "own"};
  }
};

TEST_F(CatalogTest, ShipsWithPricesOfEveryMajorCloud) {
  const auto all = catalog_.instances();
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_GT(all->size(), 1000U);
  for (const char* cloud : {"aws", "gcp", "azure"}) {
    EXPECT_FALSE(Catalog::filtered(*all, {.clouds = {cloud}})->empty());
  }
}

TEST_F(CatalogTest, FiltersByCloudRegionAndGpuPrefix) {
  const auto all = *catalog_.instances();
  const auto some = *Catalog::filtered(all, {.clouds = {"AWS"}, .gpus = {"A100", "L4"}});
  ASSERT_FALSE(some.empty());
  for (const Instance& one : some) {
    EXPECT_EQ(one.cloud, "aws");
    EXPECT_TRUE(one.gpu.starts_with("A100") || one.gpu == "L4") << one.gpu;
  }
  const auto none = Catalog::filtered(all, {.gpus = {"H10O"}});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("unknown GPU 'H10O'"));
}

TEST_F(CatalogTest, AnExactNameOrItsFirstPartWinsOverAPrefix) {
  const auto all = *catalog_.instances();
  const auto gpus = [&](std::string word) {
    std::set<std::string> names;
    for (const Instance& one : *Catalog::filtered(all, {.gpus = {std::move(word)}})) {
      names.insert(one.gpu);
    }
    return names;
  };
  EXPECT_EQ(gpus("L4"), std::set<std::string>{"L4"});
  EXPECT_EQ(gpus("l40"), std::set<std::string>{"L40"});
  EXPECT_EQ(gpus("T4"), std::set<std::string>{"T4"});
  EXPECT_EQ(gpus("V100"), (std::set<std::string>{"V100-PCIE-16GB", "V100-PCIE-32GB",
                                                 "V100-SXM2-16GB", "V100-SXM2-32GB"}));
  EXPECT_GT(gpus("RTXPRO").size(), 2U) << "a prefix of several names";
}

TEST_F(CatalogTest, SaysHowToAddAnOwnMachine) {
  const auto none = Catalog::filtered(*catalog_.instances(), {.clouds = {"own"}});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("tacho catalog add-machine here --price"));
}

TEST_F(CatalogTest, AnUpdateReplacesPricesAndABadOneChangesNothing) {
  const auto file = home_.path() / "new.csv";
  const std::string heading =
      "cloud,region,instance,gpu,gpus,vcpus,memory_gib,network_gbps,on_demand_usd_h,spot_usd_h,"
      "date,source\n";
  ASSERT_TRUE(
      write_file_atomically(file, heading + "aws,r,i,A100,8,96,1152,,9,,2026-08-22,x\n").ok());
  EXPECT_EQ(*catalog_.update(file), 1U);
  ASSERT_EQ(catalog_.instances()->size(), 1U);

  ASSERT_TRUE(
      write_file_atomically(file, heading + "aws,r,i,A100,8,96,1152,,0,,2026-08-22,x\n").ok());
  const auto bad = catalog_.update(file);
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message, HasSubstr("new.csv: line 2: on_demand_usd_h"));
  EXPECT_EQ(catalog_.instances()->front().on_demand_usd_h, 9);
  ASSERT_TRUE(write_file_atomically(file, heading).ok());
  EXPECT_FALSE(catalog_.update(file).ok());
  ASSERT_TRUE(catalog_.forget_update().ok());
  EXPECT_GT(catalog_.instances()->size(), 100U);
}

TEST_F(CatalogTest, OwnMachinesComeFirstAndSurviveAnUpdate) {
  ASSERT_TRUE(catalog_.add_machine(machine("tower")).ok());
  Instance more_expensive = machine("tower");
  more_expensive.on_demand_usd_h = 0.5;
  ASSERT_TRUE(catalog_.add_machine(more_expensive).ok());
  const auto all = *catalog_.instances();
  EXPECT_EQ(all[0].cloud, "own");
  EXPECT_EQ(all[0].on_demand_usd_h, 0.5);
  EXPECT_NE(all[1].cloud, "own");
  EXPECT_FALSE(catalog_.remove_machine("tover").ok());
  EXPECT_TRUE(catalog_.remove_machine("tower").ok());
  EXPECT_NE(catalog_.instances()->front().cloud, "own");
}

TEST_F(CatalogTest, RejectsAMachineWithoutAName) {
  EXPECT_FALSE(catalog_.add_machine(machine("")).ok());
  EXPECT_TRUE(catalog_.instances().ok());
}

TEST_F(CatalogTest, RejectsAMachineWithoutAPrice) {
  Instance free = machine("tower");
  free.on_demand_usd_h = 0;
  EXPECT_FALSE(catalog_.add_machine(free).ok());
}

}  // namespace
}  // namespace tacho
