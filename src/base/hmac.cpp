#include "base/hmac.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/sha256.h"

namespace tacho {
namespace {

using Block = std::array<std::byte, 64>;

// A key longer than a block is replaced by its digest.
Block block_of(std::span<const std::uint8_t> key) {
  Block block{};
  if (key.size() <= block.size()) {
    std::ranges::copy(std::as_bytes(key), block.begin());
    return block;
  }
  Sha256 sum;
  sum.add(std::as_bytes(key));
  const Sha256::Digest digest = sum.digest();
  std::ranges::copy(std::as_bytes(std::span(digest)), block.begin());
  return block;
}

Sha256 keyed(Block block, std::byte pad) {
  for (std::byte& byte : block) byte ^= pad;
  Sha256 sum;
  sum.add(std::span<const std::byte>(block));
  return sum;
}

}  // namespace

std::array<std::uint8_t, 32> hmac_sha256(std::span<const std::uint8_t> key,
                                         std::string_view message) {
  const Block block = block_of(key);
  Sha256 inner = keyed(block, std::byte{0x36});
  inner.add(message);
  const Sha256::Digest digest = inner.digest();
  Sha256 outer = keyed(block, std::byte{0x5c});
  outer.add(std::as_bytes(std::span(digest)));
  return outer.digest();
}

std::string hmac_sha256_hex(std::string_view key, std::string_view message) {
  const std::vector<std::uint8_t> bytes(key.begin(), key.end());
  return hex(hmac_sha256(bytes, message));
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  // Volatile, so that the compiler cannot leave the loop at the first difference.
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return difference == 0;
}

}  // namespace tacho
