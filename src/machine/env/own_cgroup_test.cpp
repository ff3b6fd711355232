#include "machine/env/own_cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A fake system made of files. A real one creates the files of a group itself.
class Fixture {
 public:
  void put(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(make_folders((root_.path() / name).parent_path()).ok());
    ASSERT_TRUE(write_file_atomically(root_.path() / name, text).ok());
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return *read_file(root_.path() / name);
  }
  [[nodiscard]] const fs::path& root() const { return root_.path(); }

 private:
  ScratchFolder root_;
};

const EnvironmentSpec kLimits{.cpus = 1.5, .memory_bytes = 64 << 20};

TEST(OwnCgroup, IsAChildOfTheGroupOfThisProcessInVersionOne) {
  const Fixture system;
  system.put("proc/self/cgroup", "4:memory:/jobs/7\n2:cpu,cpuacct:/\n");
  system.put("sys/fs/cgroup/memory/jobs/7/tacho-k/memory.limit_in_bytes", "0");
  system.put("sys/fs/cgroup/cpu/tacho-k/cpu.cfs_quota_us", "0");
  const auto files = OwnCgroup("k", system.root()).make(kLimits);
  ASSERT_TRUE(files.ok()) << files.error().message;
  const fs::path mounts = system.root() / "sys/fs/cgroup";
  EXPECT_THAT(*files, ElementsAre(mounts / "memory/jobs/7/tacho-k/cgroup.procs",
                                  mounts / "cpu/tacho-k/cgroup.procs"));
  EXPECT_THAT(system.read("sys/fs/cgroup/memory/jobs/7/tacho-k/memory.limit_in_bytes"),
              HasSubstr("67108864"));
  EXPECT_THAT(system.read("sys/fs/cgroup/cpu/tacho-k/cpu.cfs_quota_us"), HasSubstr("150000"));
}

TEST(OwnCgroup, IsASiblingOfTheGroupOfThisProcessInVersionTwo) {
  const Fixture system;
  system.put("proc/self/cgroup", "0::/user.slice/session\n");
  system.put("sys/fs/cgroup/cgroup.controllers", "cpu memory");
  system.put("sys/fs/cgroup/user.slice/tacho-k/memory.max", "max");
  system.put("sys/fs/cgroup/user.slice/tacho-k/cpu.max", "max");
  const auto files = OwnCgroup("k", system.root()).make(kLimits);
  ASSERT_TRUE(files.ok()) << files.error().message;
  EXPECT_THAT(*files, ElementsAre(system.root() / "sys/fs/cgroup/user.slice/tacho-k/cgroup.procs"));
  EXPECT_THAT(system.read("sys/fs/cgroup/user.slice/tacho-k/cpu.max"), HasSubstr("150000 100000"));
}

TEST(OwnCgroup, DetectsOutOfMemoryKills) {
  const Fixture system;
  system.put("proc/self/cgroup", "4:memory:/\n");
  const std::string file = "sys/fs/cgroup/memory/tacho-k/memory.oom_control";
  system.put(file, "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  EXPECT_FALSE(OwnCgroup("k", system.root()).ran_out_of_memory());
  system.put(file, "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  EXPECT_TRUE(OwnCgroup("k", system.root()).ran_out_of_memory());
  EXPECT_FALSE(OwnCgroup("other", system.root()).ran_out_of_memory());
}

TEST(OwnCgroup, ReportsAMissingPermission) {
  const Fixture system;
  system.put("proc/self/cgroup", "4:memory:/\n");
  const auto files = OwnCgroup("k", system.root()).make(kLimits);
  ASSERT_FALSE(files.ok());
  EXPECT_THAT(files.error().message, HasSubstr("run as root, or use podman or docker"));
}

TEST(OwnCgroup, IsFoundAnywhereBelowTheMounts) {
  const Fixture system;
  fs::create_directories(system.root() / "sys/fs/cgroup/memory/jobs/7/tacho-a");
  fs::create_directories(system.root() / "sys/fs/cgroup/cpu/tacho-b");
  EXPECT_THAT(OwnCgroup::keys(system.root()), ::testing::UnorderedElementsAre("a", "b"));
  ASSERT_TRUE(OwnCgroup("a", system.root()).remove().ok());
  EXPECT_THAT(OwnCgroup::keys(system.root()), ElementsAre("b"));
}

}  // namespace
}  // namespace tacho
