#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho::infer {

struct RedisPlace {
  std::string host;
  std::uint16_t port = 6379;
  int database = 0;
  [[nodiscard]] std::string text() const;  // "cache.example:6379"
};

// redis://HOST[:PORT][/DATABASE]; an IPv6 address in brackets.
Result<RedisPlace> parse_redis_place(std::string_view url);

}  // namespace tacho::infer
