#include "machine/env/build_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using ::testing::Contains;

class Step : public ::testing::Test {
 protected:
  Result<void> run(const std::string& script) {
    return run_step("trying", {.argv = {"sh", "-c", script}}, folder_.path() / "log", watch_);
  }
  ScratchFolder folder_;
  BuildWatch watch_;
};

TEST_F(Step, ReportsTheErrorOfItsProgram) {
  const auto ran = run("echo begun; echo 'E: no space' >&2; echo I: cleaning; exit 3");
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().message, "trying: sh: E: no space");
  EXPECT_EQ(run("printf 'a\\n10 %%\\r20 %%\\n'; exit 1").error().message, "trying: sh: 20 %");
  EXPECT_EQ(run("exit 1").error().message, "trying: sh: it printed nothing");
}

TEST_F(Step, ReportsItsProgress) {
  std::vector<std::string> reported;
  bool seen = false;
  const auto sign = folder_.path() / "seen";
  watch_.begin = [&](std::string_view step) { reported.emplace_back(step); };
  watch_.tick = [&](std::string_view line) {
    reported.emplace_back(line);
    if (line != "half" || seen) return;
    seen = true;
    std::filesystem::create_directory(sign);
  };
  EXPECT_TRUE(run("echo half; until [ -e '" + sign.string() + "' ]; do sleep 0.02; done").ok());
  EXPECT_EQ(reported.front(), "trying");
  EXPECT_THAT(reported, Contains("half"));
}

TEST_F(Step, AStoppedProgramCanCleanUp) {
  const auto begun = folder_.path() / "begun";
  const auto cleared = folder_.path() / "cleared";
  watch_.stopped = [&] { return std::filesystem::exists(begun); };
  const auto ran = run("trap 'mkdir \"" + cleared.string() + "\"; exit 1' TERM; mkdir '" +
                       begun.string() + "'; while :; do sleep 0.02; done");
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().message, "stopped; nothing was left behind");
  EXPECT_TRUE(std::filesystem::exists(cleared));
  EXPECT_EQ(run("true").error().message, "stopped; nothing was left behind");
}

}  // namespace
}  // namespace tacho
