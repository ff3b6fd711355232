#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

// Little-endian integers in files.
namespace tacho::little_endian {

inline void append(std::string& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

inline std::uint64_t read(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{bytes[at + i]} << (8 * i);
  return value;
}

}  // namespace tacho::little_endian
