#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace tacho::load {

// The URL that requests are sent to.
struct Target {
  std::string host;  // a name or an address; IPv6 without brackets
  std::uint16_t port = 80;
  std::string path;  // with the query; "" if the URL has none

  // The value of the Host field, such as "127.0.0.1:8500".
  [[nodiscard]] std::string authority() const;
  [[nodiscard]] std::string url() const { return "http://" + authority() + path; }
};

// Parses "http://HOST[:PORT][/PATH][?QUERY]".
Result<Target> parse_target_url(std::string_view url);

// An address that accepts connections.
struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;
};
// Resolves the name and tries its addresses; the error says why none accepts a connection.
Result<Address> find_server(const Target& target);

// Starts to connect; connected at once, or when the socket can be written.
Result<UniqueFd> begin_connecting(const Address& address);

}  // namespace tacho::load
