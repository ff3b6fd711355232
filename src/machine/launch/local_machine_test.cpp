#include "machine/launch/local_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CpuList, ReadsNumbersAndRanges) {
  EXPECT_THAT(parse_cpu_list("0-2,8\n"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(parse_cpu_list("5"), ElementsAre(5));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("3-1"), IsEmpty());
  EXPECT_THAT(parse_cpu_list("0-99999999"), IsEmpty());
  EXPECT_THAT(parse_cpu_list("x"), IsEmpty());
}

TEST(Cores, GroupsTheHyperthreadsThatThisProcessMayUse) {
  const ScratchFolder root;
  const auto siblings = [&](int cpu, const std::string& list) {
    const auto folder =
        root.path() / ("sys/devices/system/cpu/cpu" + std::to_string(cpu)) / "topology";
    ASSERT_TRUE(make_folders(folder).ok());
    ASSERT_TRUE(write_file_atomically(folder / "thread_siblings_list", list).ok());
  };
  siblings(0, "0,2\n");
  siblings(2, "0,2\n");
  siblings(1, "1,3\n");
  // 3 is not available to this process; the topology of 7 is unknown.
  EXPECT_THAT(cores_of({0, 1, 2, 7}, root.path()),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1), ElementsAre(7)));
}

TEST(Machine, HasCoresAndMemory) {
  const LocalMachine machine = this_machine();
  EXPECT_FALSE(machine.cores.empty());
  EXPECT_GT(machine.memory.count, 0);
}

TEST(Machine, CanBeLimitedButNotEnlarged) {
  const LocalMachine whole{.cores = {{0}, {1}}, .memory = Bytes{8LL << 30}, .gpus = {"0"}};
  const auto less = limited(whole, {{"cores", "1"}, {"gpus", "0"}, {"memory", "1.5G"}});
  ASSERT_TRUE(less.ok());
  EXPECT_THAT(less->cores, ElementsAre(ElementsAre(0)));
  EXPECT_THAT(less->gpus, IsEmpty());
  EXPECT_EQ(less->memory.count, 3LL << 29);
  EXPECT_THAT(limited(whole, {{"cores", "3"}}).error().message, HasSubstr("this machine has 2"));
  EXPECT_THAT(limited(whole, {{"core", "1"}}).error().message, HasSubstr("did you mean 'cores'"));
  EXPECT_THAT(limited(whole, {{"cores", "two"}}).error().message, HasSubstr("cores=two"));
  EXPECT_THAT(limited(whole, {{"memory", "3"}}).error().message, HasSubstr("800M"));
  EXPECT_FALSE(limited(whole, {{"cores", "0"}}).ok());
}

}  // namespace
}  // namespace tacho
