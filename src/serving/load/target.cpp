#include "serving/load/target.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace tacho::load {
namespace {

constexpr int kTryTimeoutMs = 5000;

Error wrong_url(std::string_view url, std::string_view why) {
  return {ErrorCode::usage, fmt::format("'{}': {}", url, why)};
}

// Returns 0 or the error number of the failed connection.
int wait_until_connected(int fd) {
  pollfd waiting{fd, POLLOUT, 0};
  if (::poll(&waiting, 1, kTryTimeoutMs) == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace

std::string Target::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

Result<Target> parse_target_url(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    return wrong_url(url, "https is not supported; use the http:// URL of the server behind it");
  }
  if (!url.starts_with(kScheme)) return wrong_url(url, "a URL begins with http://");
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '#'; };
  if (!std::ranges::all_of(url, plain)) {
    return wrong_url(url, "contains spaces, # or non-ASCII characters; write them as %20");
  }
  std::string_view rest = url.substr(kScheme.size());
  Target target;
  const auto path = std::min(rest.find_first_of("/?"), rest.size());
  target.path = rest.substr(path);
  if (target.path.starts_with('?')) target.path.insert(0, "/");
  std::string_view authority = rest.substr(0, path);
  if (authority.find('@') != std::string_view::npos) {
    return wrong_url(url, "contains a user; use --token instead");
  }
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos) return wrong_url(url, "its [ has no ]");
    target.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    const auto colon = std::min(authority.find(':'), authority.size());
    target.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (target.host.empty()) return wrong_url(url, "has no host");
  if (port.empty()) return target;
  const char* end = port.data() + port.size();
  const auto [stopped, error] = std::from_chars(port.data() + 1, end, target.port);
  if (port.front() != ':' || error != std::errc() || stopped != end || target.port == 0) {
    return wrong_url(url, "its port is not between 1 and 65535");
  }
  return target;
}

Result<UniqueFd> begin_connecting(const Address& address) {
  UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd)
    return Error{ErrorCode::io, fmt::format("cannot create a socket: {}", std::strerror(errno))};
  const int on = 1;
  (void)::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const auto* to = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::connect(fd.get(), to, address.length) != 0 && errno != EINPROGRESS) {
    return Error{ErrorCode::io, std::strerror(errno)};
  }
  return fd;
}

Result<Address> find_server(const Target& target) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* listed = nullptr;
  const int failed =
      ::getaddrinfo(target.host.c_str(), std::to_string(target.port).c_str(), &hints, &listed);
  if (failed != 0) {
    return Error{ErrorCode::not_found, fmt::format("{}: {}", target.host, ::gai_strerror(failed))};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> freed(listed, ::freeaddrinfo);
  std::string why = "no address";
  for (const addrinfo* one = listed; one != nullptr; one = one->ai_next) {
    Address address;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    address.length = one->ai_addrlen;
    auto fd = begin_connecting(address);
    const int error = fd.ok() ? wait_until_connected(fd->get()) : 0;
    if (fd.ok() && error == 0) return address;
    why = fd.ok() ? std::strerror(error) : fd.error().message;
  }
  return Error{
      ErrorCode::unavailable,
      fmt::format("cannot connect to {}: {}; is the server running?", target.authority(), why)};
}

}  // namespace tacho::load
