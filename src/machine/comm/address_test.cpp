#include "machine/comm/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(Address, HasAHostAndAPort) {
  EXPECT_EQ(*parse_address("node1:29500"), (Address{"node1", 29500}));
  EXPECT_EQ(*parse_address("10.0.0.7:1"), (Address{"10.0.0.7", 1}));
  EXPECT_EQ(*parse_address("[fe80::1%eth0]:65535"), (Address{"fe80::1%eth0", 65535}));
}

TEST(Address, RejectsOtherFormsAndShowsTheRightOne) {
  for (const char* bad : {"", ":", "node1", ":29500", "a b:1", "::1:29500", "[]:1", "[node:1"}) {
    const auto got = parse_address(bad);
    ASSERT_FALSE(got.ok()) << bad;
    EXPECT_EQ(got.error().code, ErrorCode::usage);
    EXPECT_THAT(got.error().message, HasSubstr("write HOST:PORT")) << bad;
  }
}

TEST(Address, RejectsPortsOutOfRange) {
  for (const char* bad : {"node1:", "node1:0", "node1:65536", "node1:-1", "node1:29500x"}) {
    const auto got = parse_address(bad);
    ASSERT_FALSE(got.ok()) << bad;
    EXPECT_THAT(got.error().message, HasSubstr("from 1 to 65535")) << bad;
  }
}

}  // namespace
}  // namespace tacho
