#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace tacho {

// Reads the bytes of a pickle from front to back.
class PickleInput {
 public:
  explicit PickleInput(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

  Result<std::string_view> take(std::size_t count) {
    if (count > bytes_.size() - at_) {
      return Error{ErrorCode::invalid, "the pickle is truncated"};
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  // A little-endian number of up to 8 bytes.
  Result<std::uint64_t> number(std::size_t width) {
    TACHO_TRY(bytes, take(width));
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }
  // Up to a line feed, which is skipped.
  Result<std::string_view> line(std::size_t most) {
    const std::size_t length = bytes_.substr(at_, most + 1).find('\n');
    if (length == std::string_view::npos) {
      return Error{ErrorCode::invalid, "a name in the pickle has no end"};
    }
    at_ += length + 1;
    return bytes_.substr(at_ - length - 1, length);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace tacho
