#include "infer/redis_place.h"

#include <fmt/format.h>

#include <charconv>

namespace tacho::infer {
namespace {

constexpr std::string_view kScheme = "redis://";
constexpr int kMostDatabases = 16384;

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

}  // namespace

std::string RedisPlace::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<RedisPlace> parse_redis_place(std::string_view url) {
  const auto bad = [url] {
    return Error{
        ErrorCode::usage,
        fmt::format("'{}' names no Redis; write redis://HOST:PORT or redis://HOST:PORT/3", url)};
  };
  if (!url.starts_with(kScheme)) return bad();
  std::string_view rest = url.substr(kScheme.size());
  RedisPlace place;
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    const bool is_one = database.empty() || read_number(database, place.database);
    if (!is_one || place.database < 0 || place.database >= kMostDatabases) return bad();
    rest = rest.substr(0, slash);
  }
  std::string_view port;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return bad();
    place.host = rest.substr(1, end - 1);
    port = rest.substr(end + 1);
  } else {
    place.host = rest.substr(0, rest.find(':'));
    port = rest.substr(place.host.size());
  }
  if (!port.empty() && (port[0] != ':' || !read_number(port.substr(1), place.port))) return bad();
  if (place.host.empty() || place.port == 0 ||
      place.host.find_first_of("@ \t") != std::string::npos) {
    return bad();
  }
  return place;
}

}  // namespace tacho::infer
