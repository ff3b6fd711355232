#include "machine/comm/job_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(JobSecret, IsMadeOfRandomDigits) {
  const std::string one = new_job_secret();
  EXPECT_EQ(one.size(), 64U);
  EXPECT_EQ(*parse_job_secret(one), one);
  EXPECT_NE(one, new_job_secret());
}

TEST(JobSecret, IsStrippedOfWhiteSpace) {
  EXPECT_EQ(*parse_job_secret(" 0123456789abcdef\r\n"), "0123456789abcdef");
}

TEST(JobSecret, IsRejectedWithoutQuotingItIfInvalid) {
  for (const std::string& bad :
       {std::string(), std::string("  \n"), std::string("0123456789abcde"),
        std::string("two words 0123456789"), std::string(257, 'x'),
        std::string("0123456789\0abcdef", 17), std::string("0123456789abcdef\xff")}) {
    const auto parsed = parse_job_secret(bad);
    ASSERT_FALSE(parsed.ok()) << bad;
    EXPECT_EQ(parsed.error().code, ErrorCode::usage);
    EXPECT_THAT(parsed.error().message, HasSubstr("openssl rand -hex 32"));
    EXPECT_THAT(parsed.error().message, Not(HasSubstr("0123456789")));
  }
}

}  // namespace
}  // namespace tacho
