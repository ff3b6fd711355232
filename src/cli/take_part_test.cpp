#include "cli/take_part.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(PartLine, NamesTheMachineWithTheRecord) {
  Launch launch;
  launch.places.push_back({.rank = 2, .size = 4, .host = "node1"});
  EXPECT_EQ(part_line(launch), "rank 2 of 4: its part of the record is with rank 0 on node1");
  launch.places.push_back({.rank = 3, .size = 4, .host = "node1"});
  EXPECT_EQ(part_line(launch),
            "ranks 2 to 3 of 4: their part of the record is with rank 0 on node1");
}

}  // namespace
}  // namespace tacho
