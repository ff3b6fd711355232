#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacho {

// Appends a LEB128 varint: seven bits per byte, lowest first; the eighth bit says that another byte
// follows.
inline void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

// Maps signed to unsigned numbers: 0, -1, 1, -2, … become 0, 1, 2, 3, …
constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

// Reads numbers and strings from the front of `bytes`. Fails at the end or at a number of more than
// 64 bits; from then on it returns 0 and "".
class VarintReader {
 public:
  explicit VarintReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      if (shift == 63 && byte > 1) break;
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  std::int64_t signed_number() { return unzigzag(number()); }

  std::uint32_t number32() {
    const std::uint64_t value = number();
    if (value > UINT32_MAX) fail();
    return failed_ ? 0 : static_cast<std::uint32_t>(value);
  }

  std::string_view text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) fail();
    if (failed_) return {};
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  std::uint8_t byte() {
    if (rest_.empty()) fail();
    if (failed_) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  void fail() {
    failed_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace tacho
