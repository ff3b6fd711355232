#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace tacho::load {

// What requests are sent to.
struct Target {
  std::string host;  // a name or an address; of IPv6 without brackets
  std::uint16_t port = 80;
  std::string path;  // with the query; "" where the URL has none

  // "127.0.0.1:8500", as the Host field says it.
  [[nodiscard]] std::string authority() const;
  [[nodiscard]] std::string url() const { return "http://" + authority() + path; }
};

// "http://HOST[:PORT][/PATH][?QUERY]".
Result<Target> parse_target_url(std::string_view url);

// An address that takes connections.
struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;
};
// Looks the name up and tries what it stands for; the error says what keeps anybody from
// connecting.
Result<Address> find_server(const Target& target);

// Starts to connect: done already, or when the socket can be written.
Result<UniqueFd> begin_connecting(const Address& address);

}  // namespace tacho::load
