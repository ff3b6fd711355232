#include "machine/env/container_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ContainerSpec, BindsTheWorkingFolderTheRunTheHomeAndTheLibrariesOnce) {
  const ScratchFolder work;
  const ScratchFolder home;
  std::filesystem::create_directories(home.path() / "runs/k");
  const std::string at = home.path();
  const EnvironmentSpec spec{.binds = {{work.path(), "/data", true}}};
  const auto binds = all_binds(spec, {.argv = {"x"}, .folder = home.path()},
                               {.key = "k",
                                .run_folder = home.path() / "runs/k/",
                                .home = home.path(),
                                .reads = {work.path(), home.path() / "runs"}});
  ASSERT_TRUE(binds.ok()) << binds.error().message;
  EXPECT_THAT(*binds,
              ::testing::UnorderedElementsAre(Bind{work.path(), "/data", true}, Bind{at, at, false},
                                              Bind{work.path(), work.path(), true}));
  EXPECT_LT((*binds)[0].target, (*binds)[1].target);  // outer before inner
}

TEST(ContainerSpec, BindsAgainWhatAnotherBindHides) {
  const ScratchFolder home;
  const ScratchFolder other;
  std::filesystem::create_directories(home.path() / "runs/k");
  const std::string runs = home.path() / "runs";
  const EnvironmentSpec spec{.binds = {{other.path(), runs}}};
  const auto binds = all_binds(spec, {.argv = {"x"}, .folder = home.path()},
                               {.key = "k", .run_folder = home.path() / "runs/k"});
  ASSERT_TRUE(binds.ok()) << binds.error().message;
  EXPECT_THAT(*binds, ElementsAre(Bind{home.path(), home.path()}, Bind{other.path(), runs},
                                  Bind{runs + "/k", runs + "/k"}));
}

TEST(ContainerSpec, ReportsAMissingFolder) {
  const ScratchFolder work;
  const EnvironmentSpec spec{.binds = {{"/not/there", "/data"}}};
  const auto binds = all_binds(spec, {.argv = {"x"}, .folder = work.path()}, {.key = "k"});
  ASSERT_FALSE(binds.ok());
  EXPECT_THAT(binds.error().message, HasSubstr("/not/there: cannot be bound"));
  EXPECT_FALSE(all_binds({}, {.argv = {"x"}, .folder = "/"}, {.key = "k"}).ok());
}

TEST(ContainerSpec, VariablesOfTheCommandTakePrecedence) {
  const EnvironmentSpec spec{.variables = {{"A", "spec"}, {"B", "spec"}}};
  const auto variables =
      all_variables(spec, {.argv = {"x"}, .environment = {{"A", "command"}}}, {.key = "k"});
  EXPECT_THAT(variables, ElementsAre(std::pair("A", "command"), std::pair("B", "spec"),
                                     std::pair(kMarkVariable, "k")));
}

TEST(ContainerSpec, RefusesAKeyThatLooksLikeAnOptionOrAPath) {
  EXPECT_TRUE(check_key("20261115-042736-3f9a1c.r0").ok());
  for (const char* key : {"", "../x", "a/b", "a b", ".", "a\n"}) {
    EXPECT_FALSE(check_key(key).ok()) << key;
  }
}

TEST(ContainerSpec, QuotesFieldsWithCommas) {
  EXPECT_EQ(csv_field("source=/a b"), "source=/a b");
  EXPECT_EQ(csv_field("source=/a,b\"c"), "\"source=/a,b\"\"c\"");
}

}  // namespace
}  // namespace tacho
