#include "base/access_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(AccessToken, ComesFromTheFileTheOptionOrTheEnvironment) {
  const ScratchFolder folder;
  const std::string file = folder.path() / "token";
  ASSERT_TRUE(write_file_atomically(file, "a-token-in-a-file\n").ok());
  ASSERT_EQ(::setenv(kTokenVariable, "a-token-of-the-environment", 1), 0);
  EXPECT_EQ(*read_access_token("", file), "a-token-in-a-file");
  EXPECT_EQ(*read_access_token("a-token-of-an-option", ""), "a-token-of-an-option");
  EXPECT_EQ(*read_access_token("", ""), "a-token-of-the-environment");
  ASSERT_EQ(::unsetenv(kTokenVariable), 0);
  EXPECT_EQ(*read_access_token("", ""), "");
}

TEST(AccessToken, IsRefusedIfItIsShortOrEmptyOrHasOddCharacters) {
  EXPECT_THAT(read_access_token("short", "").error().message, HasSubstr("16 or more letters"));
  EXPECT_FALSE(read_access_token("a token with four words", "").ok());
  const ScratchFolder folder;
  const std::string file = folder.path() / "token";
  ASSERT_TRUE(write_file_atomically(file, "\n").ok());
  EXPECT_THAT(read_access_token("", file).error().message, HasSubstr("is empty"));
  EXPECT_THAT(read_access_token("", file + "-not").error().message, HasSubstr("token-not"));
}

}  // namespace
}  // namespace tacho
