#include "serving/infer/sealed_entry.h"

#include <gtest/gtest.h>

#include "base/mutation.h"
#include "base/random.h"

namespace tacho::infer {
namespace {

TEST(SealedEntry, OpensOnlyWithTheSameKeyAndName) {
  const std::string entry = seal_entry("key", "name", "content");
  EXPECT_EQ(open_entry("key", "name", entry), "content");
  EXPECT_EQ(open_entry("other", "name", entry), std::nullopt);
  EXPECT_EQ(open_entry("key", "other", entry), std::nullopt);
  EXPECT_EQ(open_entry("key", "namec", seal_entry("key", "name", "content")), std::nullopt);
  EXPECT_EQ(open_entry("key", "name", seal_entry("key", "name", "")), "");
  EXPECT_EQ(open_entry("key", "name", "content"), std::nullopt);
  EXPECT_EQ(open_entry("key", "name", ""), std::nullopt);
}

TEST(SealedEntry, DetectsEveryChange) {
  const std::string entry = seal_entry("key", "name", "content");
  for (std::size_t i = 0; i < entry.size(); ++i) {
    std::string changed = entry;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(open_entry("key", "name", changed), std::nullopt) << i;
  }
  Random random = Random::scattered(3);
  for (int i = 0; i < 2000; ++i) {
    const std::string changed = mutated(entry, random);
    EXPECT_EQ(open_entry("key", "name", changed).has_value(), changed == entry);
  }
}

}  // namespace
}  // namespace tacho::infer
