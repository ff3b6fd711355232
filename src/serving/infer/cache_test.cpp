#include "serving/infer/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"
#include "base/random.h"
#include "serving/infer/memory_cache.h"

namespace tacho::infer {
namespace {

Key named(std::string_view name) { return Sha256::of(name); }

std::optional<Prediction> look(Cache& cache, std::string_view name) {
  std::optional<Prediction> found;
  const std::array<Key, 1> keys = {named(name)};
  cache.find(keys, [&](const Cache::Entries& entries) { found = entries.at(0); });
  return found;
}

TEST(CacheEntry, SurvivesARoundTrip) {
  const Prediction prediction{{0.1F, 0.2F, 0.7F}};
  EXPECT_EQ(prediction_from_bytes(to_bytes(prediction), 3), prediction);
  EXPECT_EQ(prediction_from_bytes(to_bytes(prediction), 2), std::nullopt);
  EXPECT_EQ(prediction_from_bytes(to_bytes({{0.5F, 0.6F}}), 2), std::nullopt);
  EXPECT_EQ(prediction_from_bytes(to_bytes({{NAN, 1}}), 2), std::nullopt);
}

TEST(CacheEntry, RejectsOrReadsAnyBytes) {
  Random random = Random::scattered(5);
  const std::string good = to_bytes({{0.25F, 0.75F}});
  for (int i = 0; i < 2000; ++i) {
    const auto read = prediction_from_bytes(mutated(good, random), 2);
    EXPECT_TRUE(!read || read->probabilities.size() == 2);
  }
}

TEST(MemoryCache, DropsExpiredEntries) {
  auto now = MemoryCache::Clock::time_point();
  MemoryCache cache({.ttl = std::chrono::seconds(10), .now = [&] { return now; }});
  cache.keep(named("a"), {{1, 0}});
  now += std::chrono::seconds(9);
  EXPECT_EQ(look(cache, "a"), (Prediction{{1, 0}}));
  now += std::chrono::seconds(1);
  EXPECT_EQ(look(cache, "a"), std::nullopt);
  EXPECT_EQ(cache.counts().entries, 0);
  EXPECT_EQ(cache.counts().bytes, 0);
}

TEST(MemoryCache, StaysWithinItsSizeAndKeepsRecentEntries) {
  MemoryCache cache({.bytes = 10'000});
  for (int i = 0; i < 1000; ++i) {
    cache.keep(named(std::to_string(i)), {{1, 0}});
    EXPECT_TRUE(look(cache, "0"));
  }
  EXPECT_LE(cache.counts().bytes, 10'000);
  EXPECT_GT(cache.counts().entries, 20);
  EXPECT_TRUE(look(cache, "999"));
  EXPECT_FALSE(look(cache, "1"));
  cache.keep(named("999"), {{0, 1}});
  EXPECT_EQ(look(cache, "999"), (Prediction{{0, 1}}));
}

}  // namespace
}  // namespace tacho::infer
