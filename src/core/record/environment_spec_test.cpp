#include "core/record/environment_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/mutation.h"

namespace tacho {
namespace {

using ::testing::HasSubstr;

EnvironmentSpec full_spec() {
  return {.kind = EnvironmentKind::podman,
          .image = "localhost/tacho:latest",
          .cpus = 1.5,
          .cpuset = "0-1,4",
          .memory_bytes = 64 << 20,
          .gpus = "0,2",
          .binds = {{"/data", "/mnt/data", true}, {"/work", "/work", false}},
          .shared_memory_bytes = 1 << 30,
          .network = NetworkAccess::none,
          .variables = {{"NAME", "two \"words\"\nand a line"}}};
}

TEST(EnvironmentSpec, ReadsWhatItWrote) {
  for (const EnvironmentSpec& spec : {full_spec(), EnvironmentSpec{}}) {
    const auto read = environment_spec_from_json(to_json(spec));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, spec);
  }
}

TEST(EnvironmentSpec, IsNamedOnTheCommandLine) {
  const auto podman = parse_environment("podman:registry:5000/tacho:latest");
  ASSERT_TRUE(podman.ok()) << podman.error().message;
  EXPECT_EQ(podman->kind, EnvironmentKind::podman);
  EXPECT_EQ(podman->image, "registry:5000/tacho:latest");
  EXPECT_EQ(environment_name(*podman), "podman:registry:5000/tacho:latest");
  EXPECT_EQ(environment_name(*parse_environment("bare")), "bare");
  EXPECT_EQ(environment_name(*parse_environment("docker")), "docker:localhost/tacho:latest");
}

TEST(EnvironmentSpec, RefusesAnUnknownEnvironmentOrAMissingImage) {
  EXPECT_THAT(parse_environment("podmann:x").error().message, HasSubstr("did you mean 'podman'"));
  EXPECT_EQ(parse_environment("docker:").error().message, "'docker' needs an image: docker:IMAGE");
  EXPECT_EQ(parse_environment("bare:x").error().message, "'bare' has no image; leave it out");
  EXPECT_FALSE(parse_environment("docker:--privileged").ok());
  EXPECT_FALSE(parse_environment("").ok());
}

TEST(EnvironmentSpec, RefusesLimitsThatMakeNoSense) {
  const auto refused = [](void (*spoil)(EnvironmentSpec&)) {
    EnvironmentSpec spec = full_spec();
    spoil(spec);
    return !check(spec).ok();
  };
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.cpus = 0; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.cpus = std::nan(""); }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.cpuset = "0-"; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.cpuset = "0,,1"; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.memory_bytes = 1000; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.shared_memory_bytes = 0; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.gpus = "0-2"; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.binds = {{"data", "/data"}}; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.binds = {{"/data", "//"}}; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.variables = {{"A=B", "c"}}; }));
  EXPECT_TRUE(refused([](EnvironmentSpec& s) { s.variables = {{"A", std::string(1, '\0')}}; }));
}

TEST(EnvironmentSpec, ErrorsNameTheKey) {
  const auto read = environment_spec_from_json({{"kind", "bare"}, {"cpu", 2}});
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("cpu"));
}

TEST(EnvironmentSpec, SurvivesDamagedText) {
  Random random(7, 0);
  const std::string whole = json_text(to_json(full_spec()));
  for (int i = 0; i < 5000; ++i) {
    const auto json = parse_json(mutated(whole, random));
    if (!json.ok()) continue;
    const auto read = environment_spec_from_json(*json);
    EXPECT_TRUE(!read.ok() || check(*read).ok());
  }
}

}  // namespace
}  // namespace tacho
