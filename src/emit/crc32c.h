#pragma once

#include <cstdint>
#include <string_view>

namespace tacho {

// CRC-32C (Castagnoli), the checksum of TensorBoard's records; zlib has only the other polynomial.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace tacho
