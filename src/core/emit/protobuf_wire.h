#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacho {

// Appends in little-endian order on every machine.
template <class Unsigned>
void append_fixed(std::string& out, Unsigned value) {
  for (unsigned shift = 0; shift < 8 * sizeof(value); shift += 8) {
    out.push_back(static_cast<char>(value >> shift & 0xFF));
  }
}

// A protobuf message in its wire format, built field by field.
//
// Implemented by hand, because pip's torch contains its own protobuf, and linking a second one into
// the worker breaks. Supports only the four kinds of fields that a TensorBoard event needs.
class ProtobufMessage {
 public:
  ProtobufMessage& add_int64(std::uint32_t field, std::int64_t value) {
    append_tag(field, kVarint);
    append_varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  ProtobufMessage& add_double(std::uint32_t field, double value) {
    append_tag(field, kFixed64);
    append_fixed(bytes_, std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  ProtobufMessage& add_float(std::uint32_t field, float value) {
    append_tag(field, kFixed32);
    append_fixed(bytes_, std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  // Adds a string or a nested message.
  ProtobufMessage& add_bytes(std::uint32_t field, std::string_view value) {
    append_tag(field, kLengthDelimited);
    append_varint(value.size());
    bytes_.append(value);
    return *this;
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

  void append_tag(std::uint32_t field, WireType type) { append_varint(field << 3 | type); }
  void append_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace tacho
