#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

// The address rank 0 listens on. The command line writes it as HOST:PORT, or [HOST]:PORT for IPv6.
struct Address {
  std::string host;
  std::uint16_t port = 0;
  bool operator==(const Address&) const = default;
};

Result<Address> parse_address(std::string_view text);

// Accepts 1 to 65535.
Result<std::uint16_t> parse_port(std::string_view text);

}  // namespace tacho
