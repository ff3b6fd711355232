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
  bool tls = false;
  std::string user = {};  // "" is Redis' default user
  std::string password = {};

  [[nodiscard]] std::string text() const;  // "cache.example:6379", without the password
};

// Whether the text is to be one: "redis://…" or "rediss://…".
bool is_redis_url(std::string_view text);

// redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]; an IPv6 address in brackets; '%40' is an '@'
// of the user or password. rediss is TLS.
Result<RedisPlace> parse_redis_place(std::string_view url);

}  // namespace tacho::infer
