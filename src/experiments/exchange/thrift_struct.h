#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// A struct in Thrift's compact protocol, built field by field in ascending order.
class ThriftStruct {
 public:
  ThriftStruct& add_int32(int field, std::int32_t value) {
    return add_number(field, kInt32, value);
  }
  ThriftStruct& add_int64(int field, std::int64_t value) {
    return add_number(field, kInt64, value);
  }
  ThriftStruct& add_text(int field, std::string_view value) {
    append_head(field, kBinary);
    append_text(bytes_, value);
    return *this;
  }
  ThriftStruct& add_struct(int field, const ThriftStruct& value) {
    append_head(field, kStruct);
    bytes_ += value.bytes();
    return *this;
  }
  ThriftStruct& add_list(int field, const std::vector<ThriftStruct>& values) {
    append_list_head(field, kStruct, values.size());
    for (const ThriftStruct& value : values) bytes_ += value.bytes();
    return *this;
  }
  ThriftStruct& add_list(int field, const std::vector<std::string>& values) {
    append_list_head(field, kBinary, values.size());
    for (const std::string& value : values) append_text(bytes_, value);
    return *this;
  }
  ThriftStruct& add_list(int field, const std::vector<std::int32_t>& values) {
    append_list_head(field, kInt32, values.size());
    for (const std::int32_t value : values) append_varint(bytes_, zigzag(value));
    return *this;
  }

  [[nodiscard]] std::string bytes() const { return bytes_ + '\0'; }

  static void append_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<char>(value | 0x80U));
    out.push_back(static_cast<char>(value));
  }

 private:
  enum Type : unsigned { kInt32 = 5, kInt64 = 6, kBinary = 8, kList = 9, kStruct = 12 };

  static std::uint64_t zigzag(std::int64_t value) {
    return static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63);
  }
  static void append_text(std::string& out, std::string_view text) {
    append_varint(out, text.size());
    out += text;
  }
  // A field is less than 16 above the one before it.
  void append_head(int field, Type type) {
    bytes_.push_back(static_cast<char>(static_cast<unsigned>(field - last_) << 4U | type));
    last_ = field;
  }
  void append_list_head(int field, Type type, std::size_t size) {
    constexpr std::size_t kLong = 15;
    append_head(field, kList);
    bytes_.push_back(static_cast<char>((size < kLong ? size : kLong) << 4U | type));
    if (size >= kLong) append_varint(bytes_, size);
  }
  ThriftStruct& add_number(int field, Type type, std::int64_t value) {
    append_head(field, type);
    append_varint(bytes_, zigzag(value));
    return *this;
  }

  std::string bytes_;
  int last_ = 0;
};

}  // namespace tacho
