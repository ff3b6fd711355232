#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

// Where rank 0 listens, as the command line writes it: HOST:PORT, with [HOST]:PORT for IPv6.
struct Address {
  std::string host;
  std::uint16_t port = 0;
  bool operator==(const Address&) const = default;
};

Result<Address> parse_address(std::string_view text);

// 1 to 65535.
Result<std::uint16_t> parse_port(std::string_view text);

}  // namespace tacho
