#include "cli/environment_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EnvironmentOptions parsed(std::vector<std::string> words) {
  CLI::App command;
  EnvironmentOptions options;
  declare(command, options);
  std::reverse(words.begin(), words.end());
  command.parse(words);
  return options;
}

std::string complaint_about(std::vector<std::string> words) {
  const auto spec = environment_of(parsed(std::move(words)));
  return spec.ok() ? "taken" : spec.error().message;
}

TEST(EnvironmentOptions, AreBareByDefault) {
  EXPECT_EQ(*environment_of(parsed({})), EnvironmentSpec{});
  EXPECT_EQ(*time_limit_of(parsed({})), std::nullopt);
}

TEST(EnvironmentOptions, TakeAllLimits) {
  const auto spec = environment_of(parsed({"-E",
                                           "podman:localhost/tacho:1",
                                           "--env-cpus",
                                           "1.5",
                                           "--env-cpuset",
                                           "0-1",
                                           "--env-memory",
                                           "512M",
                                           "--env-gpus",
                                           "all",
                                           "--env-shm",
                                           "64M",
                                           "--env-network",
                                           "none",
                                           "--env-bind",
                                           "/a",
                                           "--env-bind",
                                           "/b:/c:ro",
                                           "--env-bind",
                                           "/d:ro",
                                           "--env-var",
                                           "K=a = b",
                                           "--env-var",
                                           "EMPTY="}));
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(environment_name(*spec), "podman:localhost/tacho:1");
  EXPECT_EQ(spec->cpus, 1.5);
  EXPECT_EQ(spec->cpuset, "0-1");
  EXPECT_EQ(spec->memory_bytes, 512 << 20);
  EXPECT_EQ(spec->gpus, "all");
  EXPECT_EQ(spec->shared_memory_bytes, 64 << 20);
  EXPECT_EQ(spec->network, NetworkAccess::none);
  EXPECT_THAT(spec->binds,
              ElementsAre(Bind{"/a", "/a", false}, Bind{"/b", "/c", true}, Bind{"/d", "/d", true}));
  EXPECT_EQ(spec->variables, (std::map<std::string, std::string>{{"K", "a = b"}, {"EMPTY", ""}}));
}

TEST(EnvironmentOptions, MakeThePathOfAnImageAbsolute) {
  const ScratchFolder scratch;
  const auto before = std::filesystem::current_path();
  std::filesystem::create_directory(scratch.path() / "image");
  std::filesystem::current_path(scratch.path());
  const auto spec = environment_of(parsed({"--env", "charliecloud:image"}));
  const auto stored = environment_of(parsed({"--env", "charliecloud:debian:12"}));
  std::filesystem::current_path(before);
  EXPECT_EQ(spec->image, (scratch.path() / "image").string());
  EXPECT_EQ(stored->image, "debian:12");
}

TEST(EnvironmentOptions, AreRefusedWithTheReason) {
  EXPECT_THAT(complaint_about({"-E", "podmann:x"}), HasSubstr("podman"));
  EXPECT_THAT(complaint_about({"--env-memory", "lots"}), HasSubstr("--env-memory"));
  EXPECT_THAT(complaint_about({"--env-bind", "/a:b"}), HasSubstr("--env-bind takes"));
  EXPECT_THAT(complaint_about({"--env-bind", ":/b"}), HasSubstr("--env-bind takes"));
  EXPECT_THAT(complaint_about({"--env-var", "K"}), HasSubstr("--env-var takes NAME=VALUE"));
  EXPECT_THAT(complaint_about({"--env-var", "=v"}), HasSubstr("--env-var takes NAME=VALUE"));
  EXPECT_THAT(complaint_about({"--env-network", "some"}), HasSubstr("--env-network"));
  EXPECT_THAT(time_limit_of(parsed({"--time-limit", "soon"})).error().message,
              HasSubstr("--time-limit: 'soon' is not a valid duration"));
  EXPECT_FALSE(time_limit_of(parsed({"--time-limit", "0s"})).ok());
}

}  // namespace
}  // namespace tacho
