#include "launch/local_seats.h"

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

TEST(LocalSeats, NoTwoTasksShareACoreOrItsHyperthreads) {
  LocalSeats seats(machine());
  const auto first = seats.take({.cores = 1});
  const auto second = seats.take({.cores = 2});
  ASSERT_TRUE(first && second);
  EXPECT_THAT(seats.cpus_of(*first), ElementsAre(0, 4));
  EXPECT_THAT(seats.cpus_of(*second), ElementsAre(1, 5, 2));
  EXPECT_FALSE(seats.take({.cores = 2}));
  seats.leave(*second);
  EXPECT_TRUE(seats.take({.cores = 3}));
  EXPECT_FALSE(seats.take({.cores = 0.1}));
}

TEST(LocalSeats, PartsOfACoreFillItBeforeAnotherIsTouched) {
  LocalSeats seats(machine());
  std::vector<Seat> taken;
  for (int i = 0; i < 10; ++i) taken.push_back(*seats.take({.cores = 0.1}));
  for (const Seat& seat : taken) EXPECT_THAT(seat.cores, ElementsAre(0));
  EXPECT_TRUE(seats.take({.cores = 3}));
  EXPECT_FALSE(seats.take({.cores = 0.1}));
  for (const Seat& seat : taken) seats.leave(seat);
  EXPECT_TRUE(seats.take({.cores = 1}));  // tenths add up to a whole again
}

TEST(LocalSeats, APartAboveWholeCoresTakesAWholeOneMore) {
  LocalSeats seats(machine());
  EXPECT_THAT(seats.take({.cores = 1.5})->cores, ElementsAre(0, 1));
}

TEST(LocalSeats, MemoryAndGpusAreGivenOnce) {
  LocalSeats seats(machine());
  const auto one = seats.take({.memory_bytes = 10LL << 30, .gpus = 1});
  ASSERT_TRUE(one);
  EXPECT_EQ(seats.gpus_of(*one), "0");
  EXPECT_FALSE(seats.take({.memory_bytes = 10LL << 30}));
  EXPECT_FALSE(seats.take({.gpus = 2}));
  EXPECT_EQ(seats.gpus_of(*seats.take({.memory_bytes = 6LL << 30, .gpus = 1})), "GPU-b");
  seats.leave(*one);
  EXPECT_TRUE(seats.take({.memory_bytes = 10LL << 30, .gpus = 1}));
}

TEST(LocalSeats, WhatCouldNeverSitIsToldWhatItLacks) {
  const LocalSeats seats(machine());
  EXPECT_TRUE(seats.could_take({.cores = 4, .memory_bytes = 16LL << 30, .gpus = 2}).ok());
  EXPECT_THAT(seats.could_take({.cores = 4.5}).error().message, HasSubstr("5 cores"));
  EXPECT_THAT(seats.could_take({.gpus = 3}).error().message, HasSubstr("there are 2 GPUs"));
  EXPECT_THAT(seats.could_take({.memory_bytes = 17LL << 30}).error().message,
              HasSubstr("17.0 GiB"));
}

}  // namespace
}  // namespace tacho
