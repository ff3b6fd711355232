#include "microbench/memory/traffic.h"

#include <gtest/gtest.h>

namespace tacho::bandwidth {
namespace {

const Shape kPlain{.elements = 1 << 20};  // 4 MiB per array
constexpr std::int64_t kMiB = 1 << 20;

TEST(Traffic, AllocatingStoresAddOnePassToCopyAndTriad) {
  EXPECT_EQ(copy_allocating(kPlain), (Traffic{8 * kMiB, 12 * kMiB}));
  EXPECT_EQ(copy_streaming(kPlain), (Traffic{8 * kMiB, 8 * kMiB}));
  EXPECT_EQ(triad_allocating(kPlain), (Traffic{12 * kMiB, 16 * kMiB}));
  EXPECT_EQ(triad_streaming(kPlain), (Traffic{12 * kMiB, 12 * kMiB}));
  EXPECT_EQ(in_place(kPlain), (Traffic{8 * kMiB, 8 * kMiB}));
  EXPECT_EQ(read_once(kPlain), (Traffic{4 * kMiB, 4 * kMiB}));
}

TEST(Traffic, ResidentArraysAreNotFetchedBeforeStores) {
  Shape resident = kPlain;
  resident.resident = true;
  EXPECT_EQ(triad_allocating(resident), (Traffic{12 * kMiB, 12 * kMiB}));
}

TEST(Traffic, AStrideMovesWholeLinesForItsElements) {
  Shape shape = kPlain;
  shape.stride = 2;
  EXPECT_EQ(copy_allocating(shape), (Traffic{4 * kMiB, 12 * kMiB}));
  shape.stride = 16;  // one line per element
  EXPECT_EQ(copy_allocating(shape), (Traffic{kMiB / 2, 12 * kMiB}));
  shape.stride = 64;  // three of four lines are not accessed
  EXPECT_EQ(copy_allocating(shape), (Traffic{kMiB / 8, 3 * kMiB}));
}

TEST(Traffic, CountsTheLastLineWhole) {
  const Shape shape{.elements = 17};
  EXPECT_EQ(shape.lines(), 2);
  EXPECT_EQ(copy_streaming(shape), (Traffic{136, 256}));
  const Shape strided{.elements = 33, .stride = 16};
  EXPECT_EQ(strided.touched(), 3);
  EXPECT_EQ(strided.lines(), 3);
}

TEST(Traffic, ColumnsMoveALineForEachElement) {
  EXPECT_EQ(columns_written(kPlain), (Traffic{8 * kMiB, (4 + 2 * 64) * kMiB}));
  EXPECT_EQ(columns_read(kPlain), (Traffic{8 * kMiB, (64 + 8) * kMiB}));
  EXPECT_EQ(columns_both(kPlain), (Traffic{8 * kMiB, 3 * 64 * kMiB}));
}

TEST(Traffic, RandomAccessesHitTheSharedCacheAsFarAsItFits) {
  EXPECT_EQ(gathered(kPlain), (Traffic{12 * kMiB, (12 + 64) * kMiB}));
  EXPECT_EQ(scattered(kPlain), (Traffic{12 * kMiB, (8 + 128) * kMiB}));
  Shape shape = kPlain;
  shape.shared_cache_bytes = kMiB;  // a quarter of the array
  EXPECT_EQ(gathered(shape), (Traffic{12 * kMiB, (12 + 48) * kMiB}));
  shape.shared_cache_bytes = 8 * kMiB;
  EXPECT_EQ(gathered(shape), (Traffic{12 * kMiB, 12 * kMiB}));
}

TEST(Traffic, EachPassOfANormalisationReadsAllRows) {
  EXPECT_EQ(normalised_in_three(kPlain), (Traffic{8 * kMiB, 20 * kMiB}));
  EXPECT_EQ(normalised_in_two(kPlain), (Traffic{8 * kMiB, 16 * kMiB}));
}

}  // namespace
}  // namespace tacho::bandwidth
