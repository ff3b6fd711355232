#include "tracing/tracefile/gpu_trace_format.h"

namespace tacho {
namespace {

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

// Table k is for a byte that k more bytes follow, so that eight bytes are processed at a time.
constexpr CrcTables crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = sum;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

}  // namespace

std::uint32_t trace_crc32(std::string_view bytes) {
  static constexpr CrcTables kTables = crc_tables();
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  std::uint32_t sum = 0xFFFFFFFF;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    sum = kTables[7][at(i) ^ (sum & 0xff)] ^ kTables[6][at(i + 1) ^ ((sum >> 8) & 0xff)] ^
          kTables[5][at(i + 2) ^ ((sum >> 16) & 0xff)] ^ kTables[4][at(i + 3) ^ (sum >> 24)] ^
          kTables[3][at(i + 4)] ^ kTables[2][at(i + 5)] ^ kTables[1][at(i + 6)] ^
          kTables[0][at(i + 7)];
  }
  for (; i < bytes.size(); ++i) sum = (sum >> 8) ^ kTables[0][(sum ^ at(i)) & 0xff];
  return ~sum;
}

}  // namespace tacho
