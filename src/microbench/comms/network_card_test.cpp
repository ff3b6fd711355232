#include "microbench/comms/network_card.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

void write_speed(const ScratchFolder& root, const char* card, const char* text) {
  const auto folder = root.path() / "sys/class/net" / card;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "speed") << text;
}

TEST(NetworkCard, HasARateInBytes) {
  const ScratchFolder root;
  write_speed(root, "eth0", "25000\n");
  EXPECT_EQ(card_rate("eth0", root.path()), 3.125e9);
}

TEST(NetworkCard, MayHaveNoKnownRate) {
  const ScratchFolder root;
  write_speed(root, "down", "-1\n");
  write_speed(root, "odd", "unknown\n");
  for (const char* card : {"down", "odd", "none"}) {
    EXPECT_EQ(card_rate(card, root.path()), std::nullopt) << card;
  }
}

TEST(NetworkCard, IsFoundByItsAddress) {
  const ScratchFolder root;
  write_speed(root, "lo", "1000\n");
  const auto card = card_with("127.0.0.1", root.path());
  ASSERT_TRUE(card.has_value());
  EXPECT_EQ(card->name, "lo");
  EXPECT_EQ(card->bytes_per_s, 1.25e8);
  EXPECT_FALSE(card_with("192.0.2.1", root.path()).has_value());
}

}  // namespace
}  // namespace tacho
