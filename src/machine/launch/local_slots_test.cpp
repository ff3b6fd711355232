#include "machine/launch/local_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two cores with hyperthreads, two without, 16 GiB, two GPUs.
LocalMachine machine() {
  return {.cores = {{0, 4}, {1, 5}, {2}, {3}}, .memory = Bytes{16LL << 30}, .gpus = {"0", "GPU-b"}};
}

TEST(LocalSlots, NoTwoTasksShareACoreOrItsHyperthreads) {
  LocalSlots slots(machine());
  const auto first = slots.take({.cores = 1});
  const auto second = slots.take({.cores = 2});
  ASSERT_TRUE(first && second);
  EXPECT_THAT(slots.cpus_of(*first), ElementsAre(0, 4));
  EXPECT_THAT(slots.cpus_of(*second), ElementsAre(1, 5, 2));
  EXPECT_FALSE(slots.take({.cores = 2}));
  slots.release(*second);
  EXPECT_TRUE(slots.take({.cores = 3}));
  EXPECT_FALSE(slots.take({.cores = 0.1}));
}

TEST(LocalSlots, FillsACoreWithPartsBeforeTheNext) {
  LocalSlots slots(machine());
  std::vector<Slot> taken;
  for (int i = 0; i < 10; ++i) taken.push_back(*slots.take({.cores = 0.1}));
  for (const Slot& slot : taken) EXPECT_THAT(slot.cores, ElementsAre(0));
  EXPECT_TRUE(slots.take({.cores = 3}));
  EXPECT_FALSE(slots.take({.cores = 0.1}));
  for (const Slot& slot : taken) slots.release(slot);
  EXPECT_TRUE(slots.take({.cores = 1}));  // tenths add up to a whole again
}

TEST(LocalSlots, RoundsUpToWholeCores) {
  LocalSlots slots(machine());
  EXPECT_THAT(slots.take({.cores = 1.5})->cores, ElementsAre(0, 1));
}

TEST(LocalSlots, AssignsMemoryAndGpusOnce) {
  LocalSlots slots(machine());
  const auto one = slots.take({.memory_bytes = 10LL << 30, .gpus = 1});
  ASSERT_TRUE(one);
  EXPECT_EQ(slots.gpus_of(*one), "0");
  EXPECT_FALSE(slots.take({.memory_bytes = 10LL << 30}));
  EXPECT_FALSE(slots.take({.gpus = 2}));
  EXPECT_EQ(slots.gpus_of(*slots.take({.memory_bytes = 6LL << 30, .gpus = 1})), "GPU-b");
  slots.release(*one);
  EXPECT_TRUE(slots.take({.memory_bytes = 10LL << 30, .gpus = 1}));
}

TEST(LocalSlots, ReportsWhatIsMissingForATaskThatNeverFits) {
  const LocalSlots slots(machine());
  EXPECT_TRUE(slots.could_ever_fit({.cores = 4, .memory_bytes = 16LL << 30, .gpus = 2}).ok());
  EXPECT_THAT(slots.could_ever_fit({.cores = 4.5}).error().message, HasSubstr("5 cores"));
  EXPECT_THAT(slots.could_ever_fit({.gpus = 3}).error().message, HasSubstr("there are 2 GPUs"));
  EXPECT_THAT(slots.could_ever_fit({.memory_bytes = 17LL << 30}).error().message,
              HasSubstr("17.0 GiB"));
}

}  // namespace
}  // namespace tacho
