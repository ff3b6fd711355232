#include "predict/rent/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"

namespace tacho {
namespace {

using testing::HasSubstr;

constexpr std::string_view kHeading =
    "cloud,region,instance,gpu,gpus,vcpus,memory_gib,network_gbps,on_demand_usd_h,spot_usd_h,date,"
    "source\n";

std::string problem_of(const std::string& row) {
  const auto read = read_instances(std::string(kHeading) + row);
  return read.ok() ? "" : read.error().message;
}

TEST(Instance, RoundTrips) {
  const auto read = read_instances(std::string(kHeading) +
                                   "aws,us-east-1,p4d,A100,8,96,1152,400,32.8,,2026-08-22,x\n"
                                   "gcp,us-west1,n2,,0,8,32,,0.4,0.1,2026-08-21,\"y, z\"\n");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].network_gbps, 400);
  EXPECT_FALSE((*read)[0].spot_usd_h.has_value());
  EXPECT_EQ(*read_instances(instances_csv(*read)), *read);
}

TEST(Instance, RejectsInvalidRowsWithTheirLine) {
  EXPECT_THAT(problem_of("aws,r,i,A100,8,96,1152,,-1,,2026-08-22,x\n"),
              HasSubstr("line 2: on_demand_usd_h"));
  EXPECT_THAT(problem_of("aws,r,i,A100,8,96,1152,,1,,2026-13-22,x\n"), HasSubstr("date"));
  EXPECT_THAT(problem_of("aws,r,i,A100,8,96,1152,,1,,2026-02-30,x\n"), HasSubstr("date"));
  EXPECT_THAT(problem_of("aws,r,i,,8,96,1152,,1,,2026-08-22,x\n"), HasSubstr("or neither"));
  EXPECT_THAT(problem_of("aws,r,i,A100,8.5,96,1152,,1,,2026-08-22,x\n"),
              HasSubstr("not a whole number"));
  EXPECT_THAT(problem_of("aws,r,i,A100,8,96,1152,,1,,2026-08-22,x\n"
                         "aws,r,i,A100,8,96,1152,,2,,2026-08-22,x\n"),
              HasSubstr("line 3: instance: i in r occurs twice"));
}

TEST(Instance, SurvivesArbitraryBytes) {
  const std::string whole = std::string(kHeading) +
                            "aws,us-east-1,p4d,A100,8,96,1152,400,32.8,,2026-08-22,x\n"
                            "gcp,us-west1,n2,,0,8,32,,0.4,0.1,2026-08-21,\"y, z\"\n";
  Random random(3, 0);
  for (int i = 0; i < 20000; ++i) {
    const auto read = read_instances(mutated(whole, random));
    if (!read.ok()) continue;
    for (const Instance& one : *read) EXPECT_GT(one.on_demand_usd_h, 0);
    EXPECT_TRUE(read_instances(instances_csv(*read)).ok());
  }
}

}  // namespace
}  // namespace tacho
