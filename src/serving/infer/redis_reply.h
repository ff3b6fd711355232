#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho::infer {

struct RedisReply {
  enum class Kind { status, error, number, text, nothing, list };
  Kind kind = Kind::nothing;
  std::string text = {};  // of a status, an error or a text
  std::int64_t number = 0;
  std::vector<RedisReply> items = {};  // of a list; never nested lists

  bool operator==(const RedisReply&) const = default;
};

// Parses Redis replies (RESP2) from pieces of any size. Uses no more memory than was received and
// the limits allow, whatever the server claims.
class RedisReplyReader {
 public:
  static constexpr std::size_t kLongestLine = 64 << 10;
  static constexpr std::size_t kLongestText = 1 << 20;
  static constexpr std::size_t kLongestList = 100'000;

  void feed(std::string_view bytes) { bytes_.append(bytes); }
  // Returns the next complete reply, or nothing if it is incomplete. The reader cannot be used
  // after an error.
  Result<std::optional<RedisReply>> next();

 private:
  Result<std::optional<RedisReply>> next_plain(bool in_list);
  Result<std::optional<RedisReply>> text_of(std::string_view length, std::size_t line_end);
  void forget_read();

  std::string bytes_;
  std::size_t at_ = 0;                   // bytes before it were parsed
  std::size_t searched_ = 0;             // bytes before it contain no line end
  std::optional<RedisReply> list_ = {};  // being read
  std::size_t list_size_ = 0;
};

// Encodes a command.
std::string redis_command(std::span<const std::string_view> words);

}  // namespace tacho::infer
