#include "core/emit/crc32c.h"

#include <array>

namespace tacho {
namespace {

// Polynomials with their bits reversed, lowest first.
constexpr std::uint32_t kCastagnoli = 0x82F63B78;
constexpr std::uint32_t kZlib = 0xEDB88320;

constexpr std::array<std::uint32_t, 256> remainders_of_bytes(std::uint32_t polynomial) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
    table[byte] = rest;
  }
  return table;
}

template <std::uint32_t kPolynomial>
std::uint32_t checksum(std::string_view bytes) {
  static constexpr auto kRemainders = remainders_of_bytes(kPolynomial);
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kRemainders[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~crc;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) { return checksum<kCastagnoli>(bytes); }

std::uint32_t crc32(std::string_view bytes) { return checksum<kZlib>(bytes); }

}  // namespace tacho
