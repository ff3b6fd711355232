#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho::infer {

struct RedisAddress {
  std::string host;
  std::uint16_t port = 6379;
  int database = 0;
  bool tls = false;
  std::string user = {};  // "" for the default user
  std::string password = {};

  [[nodiscard]] std::string text() const;  // "cache.example:6379", without the password
};

// True for "redis://…" and "rediss://…".
bool is_redis_url(std::string_view text);

// Parses redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], with an IPv6 address in brackets.
// '%40' in user or password stands for '@'. rediss is TLS.
Result<RedisAddress> parse_redis_url(std::string_view url);

}  // namespace tacho::infer
