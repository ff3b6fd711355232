#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tacho {

// HMAC (RFC 2104) with SHA-256: proves that the sender of a message knows `key`. Keys may have any
// length; beyond 32 random bytes they get no stronger.
std::array<std::uint8_t, 32> hmac_sha256(std::span<const std::uint8_t> key,
                                         std::string_view message);

// Returns the HMAC as 64 hexadecimal digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);

// Compares in a time that depends only on the length, so that a secret cannot be guessed byte by
// byte. The lengths are not secret.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace tacho
