#include "serving/infer/redis_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tacho::infer {
namespace {

constexpr std::string_view kPlain = "redis://";
constexpr std::string_view kTls = "rediss://";
constexpr int kMaxDatabases = 16384;

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

// Decodes %XX, as in the password.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text[0] != '%') {
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    unsigned value = 0;
    const char* end = text.data() + std::min<std::size_t>(text.size(), 3);
    const auto read = std::from_chars(text.data() + 1, end, value, 16);
    if (text.size() < 3 || read.ec != std::errc() || read.ptr != end) return std::nullopt;
    out += static_cast<char>(value);
    text.remove_prefix(3);
  }
  return out;
}

bool read_account(std::string_view text, RedisAddress& address) {
  const std::size_t colon = text.find(':');
  const auto user = percent_decoded(text.substr(0, colon));
  const auto password =
      percent_decoded(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (!user || !password) return false;
  address.user = *user;
  address.password = *password;
  return true;
}

}  // namespace

bool is_redis_url(std::string_view text) {
  return text.starts_with(kPlain) || text.starts_with(kTls);
}

std::string RedisAddress::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<RedisAddress> parse_redis_url(std::string_view url) {
  // The message omits the part before '@', which may contain a password.
  const auto bad = [shown = url.substr(std::min(url.rfind('@') + 1, url.size()))] {
    return Error{ErrorCode::usage,
                 fmt::format("'{}' is not a Redis URL; write redis://HOST:PORT or "
                             "rediss://USER:PASSWORD@HOST:PORT/3",
                             shown)};
  };
  if (!is_redis_url(url)) return bad();
  RedisAddress address;
  address.tls = url.starts_with(kTls);
  std::string_view rest = url.substr((address.tls ? kTls : kPlain).size());
  if (const std::size_t slash = rest.find('/', rest.find('@') + 1);
      slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    const bool is_one = database.empty() || read_number(database, address.database);
    if (!is_one || address.database < 0 || address.database >= kMaxDatabases) return bad();
    rest = rest.substr(0, slash);
  }
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    if (!read_account(rest.substr(0, at), address)) return bad();
    rest = rest.substr(at + 1);
  }
  std::string_view port;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return bad();
    address.host = rest.substr(1, end - 1);
    port = rest.substr(end + 1);
  } else {
    address.host = rest.substr(0, rest.find(':'));
    port = rest.substr(address.host.size());
  }
  if (!port.empty() && (port[0] != ':' || !read_number(port.substr(1), address.port))) return bad();
  if (address.host.empty() || address.port == 0 ||
      address.host.find_first_of(" \t/") != std::string::npos) {
    return bad();
  }
  return address;
}

}  // namespace tacho::infer
