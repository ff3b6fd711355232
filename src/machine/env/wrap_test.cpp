// Tests the command lines of engines, without an installed engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "machine/env/environment.h"

namespace tacho {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

class Wrapped : public ::testing::Test {
 protected:
  Command wrapped(const EnvironmentSpec& spec) {
    const auto environment = open_environment(spec);
    EXPECT_TRUE(environment.ok());
    auto command = (*environment)
                       ->wrap({.argv = {"train", "--lr", "0.1"},
                               .environment = {{"NAME", "a \"b\"\nc"}},
                               .folder = folder_.path()},
                              {.key = "k1"});
    EXPECT_TRUE(command.ok()) << command.error().message;
    return *std::move(command);
  }
  ScratchFolder folder_;
};

TEST_F(Wrapped, DockerGetsEveryLimitAndTheCommandLast) {
  const Command docker = wrapped({.kind = EnvironmentKind::docker,
                                  .image = "img",
                                  .cpus = 0.5,
                                  .cpuset = "1",
                                  .memory_bytes = 64 << 20,
                                  .gpus = "0,2",
                                  .shared_memory_bytes = 1 << 20,
                                  .network = NetworkAccess::none});
  EXPECT_THAT(docker.argv,
              IsSupersetOf({"run", "--rm", "--init", "--name=tacho-k1", "--cpus=0.5",
                            "--cpuset-cpus=1", "--memory=67108864", "--gpus=\"device=0,2\"",
                            "--shm-size=1048576", "--network=none", "--env=NAME=a \"b\"\nc"}));
  const std::vector<std::string> last(docker.argv.end() - 4, docker.argv.end());
  EXPECT_THAT(last, ::testing::ElementsAre("img", "train", "--lr", "0.1"));
  EXPECT_TRUE(docker.environment.empty());
}

TEST_F(Wrapped, DockerGetsASecretThroughItsEnvironment) {
  const auto docker = open_environment({.kind = EnvironmentKind::docker, .image = "img"});
  const auto command = (*docker)->wrap({.argv = {"train"},
                                        .environment = {{"TACHO_JOB_SECRET", "0123456789abcdef"}},
                                        .folder = folder_.path()},
                                       {.key = "k1"});
  ASSERT_TRUE(command.ok()) << command.error().message;
  EXPECT_THAT(command->argv, ::testing::Contains("--env=TACHO_JOB_SECRET"));
  EXPECT_THAT(command->argv, ::testing::Each(::testing::Not(HasSubstr("0123456789abcdef"))));
  EXPECT_EQ(command->environment.at("TACHO_JOB_SECRET"), "0123456789abcdef");
}

TEST_F(Wrapped, PodmanNamesEachGpu) {
  const Command podman = wrapped({.kind = EnvironmentKind::podman, .image = "img", .gpus = "0,2"});
  EXPECT_THAT(podman.argv, IsSupersetOf({"--device=nvidia.com/gpu=0", "--device=nvidia.com/gpu=2",
                                         "--ipc=host", "--network=host"}));
}

TEST_F(Wrapped, BareIsTheCommandWithItsVariables) {
  const Command bare = wrapped({.gpus = "1", .variables = {{"OTHER", "x"}}});
  EXPECT_THAT(bare.argv, ::testing::ElementsAre("train", "--lr", "0.1"));
  EXPECT_EQ(bare.environment.at("CUDA_VISIBLE_DEVICES"), "1");
  EXPECT_EQ(bare.environment.at("OTHER"), "x");
}

TEST(RunEnvironment, ReportsUnsupportedOptions) {
  const auto complaint = [](const EnvironmentSpec& spec) {
    const auto environment = open_environment(spec);
    return environment.ok() ? (*environment)->check().error().message : environment.error().message;
  };
  EXPECT_THAT(complaint({.network = NetworkAccess::none}),
              HasSubstr("leave --env-network none out"));
  EXPECT_THAT(complaint({.shared_memory_bytes = 1}), HasSubstr("leave it out"));
  EXPECT_THAT(complaint({.binds = {{"/a", "/b"}}}), HasSubstr("leave '--env-bind /a' out"));
  EXPECT_THAT(complaint({.kind = EnvironmentKind::podman}), HasSubstr("podman:IMAGE"));
}

}  // namespace
}  // namespace tacho
