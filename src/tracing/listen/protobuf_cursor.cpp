#include "tracing/listen/protobuf_cursor.h"

#include <bit>

namespace tacho {

double ProtobufCursor::Field::as_double() const { return std::bit_cast<double>(bits); }
float ProtobufCursor::Field::as_float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

std::optional<std::uint64_t> ProtobufCursor::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ProtobufCursor::fixed(std::size_t bytes) {
  if (rest_.size() < bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(bytes);
  return value;
}

std::optional<ProtobufCursor::Field> ProtobufCursor::next() {
  const auto tag = varint();
  if (!tag) return std::nullopt;
  Field field{.number = static_cast<std::uint32_t>(*tag >> 3U)};
  std::optional<std::uint64_t> value;
  switch (*tag & 7U) {
    case 0:
      value = varint();
      break;
    case 1:
      value = fixed(8);
      break;
    case 2:
      value = varint();
      if (!value || *value > rest_.size()) return std::nullopt;
      field.bytes = rest_.substr(0, *value);
      rest_.remove_prefix(*value);
      break;
    case 5:
      value = fixed(4);
      break;
    default:
      return std::nullopt;
  }
  if (!value) return std::nullopt;
  field.bits = *value;
  return field;
}

}  // namespace tacho
