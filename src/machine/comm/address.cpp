#include "machine/comm/address.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parse_number.h"

namespace tacho {
namespace {

// Accepts the characters of a host name or, in brackets, of an IPv6 address with its scope.
bool is_host(std::string_view host, bool bracketed) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [bracketed](char c) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return word || c == '-' || c == '.' || c == '_' || (bracketed && (c == ':' || c == '%'));
  });
}

}  // namespace

Result<std::uint16_t> parse_port(std::string_view text) {
  const auto port = parse_number<std::uint16_t>(text);
  if (port && *port > 0) return *port;
  return Error{ErrorCode::usage,
               fmt::format("'{}' is not a valid port; use a number from 1 to 65535", text)};
}

Result<Address> parse_address(std::string_view text) {
  const Error malformed{
      ErrorCode::usage,
      fmt::format("'{}' is not a valid address; write HOST:PORT, for example node1:29500", text)};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return malformed;
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!is_host(host, bracketed)) return malformed;
  TACHO_TRY(port, parse_port(text.substr(colon + 1)).in(fmt::format("'{}'", text)));
  return Address{std::string(host), port};
}

}  // namespace tacho
