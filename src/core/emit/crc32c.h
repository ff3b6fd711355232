#pragma once

#include <cstdint>
#include <string_view>

namespace tacho {

// CRC-32C (Castagnoli), the checksum of TensorBoard's records; zlib has another polynomial.
std::uint32_t crc32c(std::string_view bytes);

// CRC-32 as in zlib, the checksum of W&B's logs.
std::uint32_t crc32(std::string_view bytes);

// Masks the checksum as in TFRecord, because checksums of data with checksums are weak.
inline std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15U | crc << 17U) + 0xA282EAD8U;
}

}  // namespace tacho
