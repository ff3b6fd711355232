#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tacho {

// Iterates over the fields of a protobuf message in wire format. Invalid bytes end the iteration
// early; nothing is read out of bounds.
class ProtobufCursor {
 public:
  explicit ProtobufCursor(std::string_view message) : rest_(message) {}

  struct Field {
    std::uint32_t number = 0;
    std::uint64_t bits = 0;       // of an integer or floating-point number
    std::string_view bytes = {};  // of a string, message or packed list

    [[nodiscard]] double as_double() const;
    [[nodiscard]] float as_float() const;
  };
  std::optional<Field> next();

 private:
  std::optional<std::uint64_t> varint();
  std::optional<std::uint64_t> fixed(std::size_t bytes);

  std::string_view rest_;
};

}  // namespace tacho
