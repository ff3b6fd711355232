#include "machine/comm/shm_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

#include "machine/comm/shm_test_ranks.h"

namespace tacho {
namespace {

// Returns values of many magnitudes, whose sum depends on the order of addition.
std::vector<float> values_of(int rank, std::size_t count) {
  std::vector<float> values(count);
  auto state = static_cast<std::uint32_t>(rank + 1);
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    const std::uint32_t exponent = 120 + (state >> 27U);
    value = std::bit_cast<float>((state & 0x807F'FFFFU) | exponent << 23U);
  }
  return values;
}

std::vector<float> sum_of(int ranks, std::size_t count) {
  std::vector<float> sum = values_of(0, count);
  for (int rank = 1; rank < ranks; ++rank) {
    const auto more = values_of(rank, count);
    for (std::size_t i = 0; i < count; ++i) sum[i] += more[i];
  }
  return sum;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

const std::vector<std::size_t> kCounts{0, 1, 7, 256, 8192, 8193, 100'000, 1'000'003};

class ShmGroupOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, ShmGroupOf, testing::Values(1, 2, 3, 4, 5));

TEST_P(ShmGroupOf, SumsInRankOrderWithTheSameBitsOnAllRanks) {
  in_threads(GetParam(), [](ShmGroup& group) {
    for (const std::size_t count : kCounts) {
      auto values = values_of(group.rank(), count);
      ASSERT_OK(group.all_reduce(values));
      EXPECT_TRUE(same_bits(values, sum_of(group.size(), count))) << count;
    }
  });
}

TEST_P(ShmGroupOf, SumsAllocatedMemoryInPlace) {
  in_threads(GetParam(), [](ShmGroup& group) {
    for (const std::size_t count : kCounts) {
      auto memory = group.allocate(count + 3);
      ASSERT_OK(memory);
      const auto values = memory->subspan(3);
      std::ranges::copy(values_of(group.rank(), count), values.begin());
      ASSERT_OK(group.all_reduce(values));
      EXPECT_TRUE(same_bits(values, sum_of(group.size(), count))) << count;
      EXPECT_EQ((*memory)[2], 0.0F);
    }
  });
}

TEST_P(ShmGroupOf, ReducesToTheRootOnly) {
  in_threads(GetParam(), [](ShmGroup& group) {
    for (const std::size_t count : kCounts) {
      auto memory = group.allocate(count);
      ASSERT_OK(memory);
      for (const int root : {0, group.size() - 1}) {
        const auto before = values_of(group.rank(), count);
        auto own = before;
        std::ranges::copy(before, memory->begin());
        ASSERT_OK(group.reduce(own, root));
        ASSERT_OK(group.reduce(*memory, root));
        const auto& expected = group.rank() == root ? sum_of(group.size(), count) : before;
        EXPECT_TRUE(same_bits(own, expected)) << count;
        EXPECT_TRUE(same_bits(*memory, expected)) << count;
      }
    }
  });
}

TEST_P(ShmGroupOf, BroadcastsFromAnyRank) {
  in_threads(GetParam(), [](ShmGroup& group) {
    for (const std::size_t count : kCounts) {
      for (const int root : {0, group.size() - 1}) {
        auto values = values_of(group.rank(), count);
        ASSERT_OK(group.broadcast(std::as_writable_bytes(std::span(values)), root));
        EXPECT_TRUE(same_bits(values, values_of(root, count))) << count;
      }
    }
  });
}

TEST_P(ShmGroupOf, GathersInRankOrder) {
  in_threads(GetParam(), [](ShmGroup& group) {
    for (const std::size_t count : kCounts) {
      const auto mine = values_of(group.rank(), count);
      std::vector<float> all(count * static_cast<std::size_t>(group.size()));
      ASSERT_OK(
          group.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all))));
      for (int rank = 0; rank < group.size(); ++rank) {
        const auto part = std::span(all).subspan(static_cast<std::size_t>(rank) * count, count);
        EXPECT_TRUE(same_bits(part, values_of(rank, count))) << count;
      }
    }
  });
}

// Buffers are reused by the next call without a wait, so every pair of calls must be safe.
TEST_P(ShmGroupOf, KeepsCallsSeparateInAnyOrder) {
  in_threads(
      GetParam(),
      [](ShmGroup& group) {
        auto memory = group.allocate(20'000);
        ASSERT_OK(memory);
        std::mt19937 random(7);  // the same on every rank
        for (int i = 0; i < 400; ++i) {
          const std::size_t count = random() % (random() % 4 == 0 ? 20'000 : 900);
          const int root = static_cast<int>(random() % static_cast<unsigned>(group.size()));
          const unsigned kind = random() % 5;
          std::vector<float> own(count);
          const auto values = random() % 2 == 0 ? std::span(own) : memory->first(count);
          std::fill(values.begin(), values.end(), static_cast<float>(group.rank() + i));
          const int n = group.size();
          auto expected = static_cast<float>(n * (n - 1) / 2 + n * i);
          if (kind == 0) ASSERT_OK(group.all_reduce(values));
          if (kind == 1) {
            ASSERT_OK(group.reduce(values, root));
            if (group.rank() != root) expected = static_cast<float>(group.rank() + i);
          }
          if (kind == 2) {
            ASSERT_OK(group.broadcast(std::as_writable_bytes(values), root));
            expected = static_cast<float>(root + i);
          }
          if (kind == 3) {
            std::vector<float> all(count * static_cast<std::size_t>(n));
            ASSERT_OK(
                group.all_gather(std::as_bytes(values), std::as_writable_bytes(std::span(all))));
            expected = static_cast<float>(group.rank() + i);
            ASSERT_TRUE(all.empty() || all.back() == static_cast<float>(n - 1 + i));
          }
          if (kind == 4) {
            ASSERT_OK(group.barrier());
            expected = static_cast<float>(group.rank() + i);
          }
          for (const float value : values) ASSERT_EQ(value, expected) << "call " << i;
        }
      },
      8192);
}

TEST(ShmGroup, WorksBetweenProcesses) {
  in_processes(3, [](ShmGroup& group) {
    auto memory = group.allocate(100'000);
    if (!memory.ok()) return memory.error().message;
    for (int i = 0; i < 50; ++i) {
      auto values = values_of(group.rank(), 100'000);
      std::ranges::copy(values, memory->begin());
      if (auto made = group.all_reduce(values); !made.ok()) return made.error().message;
      if (auto made = group.all_reduce(*memory); !made.ok()) return made.error().message;
      const auto expected = sum_of(3, 100'000);
      if (!same_bits(values, expected) || !same_bits(*memory, expected)) {
        return std::string("another sum");
      }
    }
    return std::string();
  });
}

TEST(ShmGroup, WorksWithOneRank) {
  auto group = ShmGroup::join({.name = unique_name(), .rank = 0, .size = 1});
  ASSERT_OK(group);
  std::vector<float> values{1, 2};
  ASSERT_OK((*group)->all_reduce(values));
  EXPECT_EQ(values, (std::vector<float>{1, 2}));
}

TEST(ShmGroup, RejectsInvalidArguments) {
  EXPECT_EQ(ShmGroup::join({.name = "x", .rank = 2, .size = 2}).error().message,
            "rank 2 is out of range for 2 ranks");
  EXPECT_EQ(ShmGroup::join({.name = "x", .slot_bytes = 1000}).error().message,
            "a slot of 1000 bytes is not a multiple of 8192 bytes");
  EXPECT_EQ(ShmGroup::join({.name = ""}).error().message,
            "a group name has 1 to 80 characters, not 0");
  auto group = ShmGroup::join({.name = unique_name()});
  ASSERT_OK(group);
  EXPECT_EQ((*group)->broadcast({}, 1).error().message, "rank 1 is out of range for 1 ranks");
  std::vector<std::byte> bytes(3);
  EXPECT_EQ((*group)->all_gather(bytes, std::span(bytes).first(2)).error().message,
            "an all-gather of 3 bytes from each of 1 ranks does not fit a buffer of 2 bytes");
}

}  // namespace
}  // namespace tacho
