#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tacho {

// RFC 2104 over SHA-256: proves that a message comes from a holder of `key`. A key of any length
// will do; one of 32 random bytes is as strong as it gets.
std::array<std::uint8_t, 32> hmac_sha256(std::span<const std::uint8_t> key,
                                         std::string_view message);

// The same as 64 hexadecimal digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);

// Takes as long for texts that differ in their first byte as for equal ones, so that a guess
// cannot be improved byte by byte. The lengths are not secret.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace tacho
