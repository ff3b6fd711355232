#include "machine/comm/tcp.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSocketKind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
constexpr auto kLongestAttempt = std::chrono::seconds(4);
constexpr auto kPauseBetweenAttempts = std::chrono::milliseconds(50);

std::string system_words(int error) {
  return std::error_code(error, std::generic_category()).message();
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> addresses_of(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error == 0) return Addresses(list);
  return Error{ErrorCode::not_found,
               error == EAI_SYSTEM ? system_words(errno) : std::string(::gai_strerror(error))};
}

void disable_send_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Returns 0 or an errno value.
int bind_and_listen(int fd, const sockaddr* address, socklen_t size) {
  const int on = 1;
  // Otherwise connections of an earlier job block the port for a minute after its end.
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool listens = ::bind(fd, address, size) == 0 && ::listen(fd, SOMAXCONN) == 0;
  return listens ? 0 : errno;
}

Error cannot_listen(const std::string& host, std::uint16_t port, int error) {
  if (error == EADDRINUSE) {
    return {ErrorCode::usage,
            fmt::format("port {} is in use; choose another with --rendezvous HOST:PORT", port)};
  }
  return {ErrorCode::io, fmt::format("cannot listen at {}: {}; choose another address with "
                                     "--rendezvous HOST:PORT",
                                     endpoint(host, port), system_words(error))};
}

Result<UniqueFd> listen_on_every_address(const std::string& host, std::uint16_t port) {
  UniqueFd both(::socket(AF_INET6, kSocketKind, 0));
  const int off = 0;
  if (both && ::setsockopt(both.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) {
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_addr = in6addr_any;
    any.sin6_port = htons(port);
    const int error = bind_and_listen(both.get(), reinterpret_cast<sockaddr*>(&any), sizeof any);
    if (error == 0) return both;
    if (error == EADDRINUSE) return cannot_listen(host, port, error);
  }
  // Without IPv6.
  UniqueFd fd(::socket(AF_INET, kSocketKind, 0));
  if (!fd) return cannot_listen(host, port, errno);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  any.sin_port = htons(port);
  const int error = bind_and_listen(fd.get(), reinterpret_cast<sockaddr*>(&any), sizeof any);
  if (error != 0) return cannot_listen(host, port, error);
  return fd;
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);

std::string numeric_name(const UniqueFd& socket, NameOf name_of) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> text{};
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (name_of(socket.get(), plain, &size) != 0) return "";
  if (::getnameinfo(plain, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return "";
  }
  constexpr std::string_view kIpv4InIpv6 = "::ffff:";
  std::string_view name(text.data());
  if (name.starts_with(kIpv4InIpv6) && name.find('.') != std::string_view::npos) {
    name.remove_prefix(kIpv4InIpv6.size());
  }
  return std::string(name);
}

// Detects a TCP self-connect, which happens when the local port equals the destination port.
bool is_self_connected(const UniqueFd& socket) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t here_size = sizeof here;
  socklen_t there_size = sizeof there;
  return ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&here), &here_size) == 0 &&
         ::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&there), &there_size) == 0 &&
         here_size == there_size && std::memcmp(&here, &there, here_size) == 0;
}

// Returns 0 once connected, or an errno value.
int wait_until_connected(int fd, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return ETIMEDOUT;
    pollfd writable{fd, POLLOUT, 0};
    if (::poll(&writable, 1, static_cast<int>(left)) <= 0) continue;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
  }
}

Result<UniqueFd> connect_once(const addrinfo& address, Clock::time_point deadline) {
  const auto refused = [](int error) { return Error{ErrorCode::io, system_words(error)}; };
  UniqueFd fd(::socket(address.ai_family, kSocketKind, 0));
  if (!fd) return refused(errno);
  if (::connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) return refused(errno);
    const int error =
        wait_until_connected(fd.get(), std::min(deadline, Clock::now() + kLongestAttempt));
    if (error != 0) return refused(error);
  }
  if (is_self_connected(fd)) return refused(ECONNREFUSED);
  disable_send_delay(fd.get());
  return fd;
}

}  // namespace

Result<UniqueFd> listen_at(const std::string& host, std::uint16_t port) {
  // Looks at the spelling only: Debian's /etc/hosts maps the machine's own name to loopback, but
  // the other ranks connect from outside.
  return is_loopback(host) ? listen_only_at(host, port) : listen_on_every_address(host, port);
}

Result<UniqueFd> listen_only_at(const std::string& address, std::uint16_t port) {
  TACHO_TRY(addresses, addresses_of(address, port).in(endpoint(address, port)));
  UniqueFd fd(::socket(addresses->ai_family, kSocketKind, 0));
  if (!fd) return cannot_listen(address, port, errno);
  const int error = bind_and_listen(fd.get(), addresses->ai_addr, addresses->ai_addrlen);
  if (error != 0) return cannot_listen(address, port, error);
  return fd;
}

Result<UniqueFd> adopt_listener(int fd) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return Error{ErrorCode::usage,
                 fmt::format("descriptor {} is not a listening socket; unset TACHO_RENDEZVOUS_FD "
                             "to let rank 0 open its own",
                             fd)};
  }
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return UniqueFd(fd);
}

UniqueFd accept_from(const UniqueFd& listener) {
  UniqueFd fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (fd) disable_send_delay(fd.get());
  return fd;
}

Result<UniqueFd> connect_to(const std::string& host, std::uint16_t port, Clock::time_point deadline,
                            const std::atomic<bool>* stop) {
  std::optional<Error> last;
  while (true) {
    // Resolves the name again each time: it may become known while the job starts.
    auto addresses = addresses_of(host, port);
    if (!addresses.ok()) last = addresses.error();
    for (const addrinfo* at = addresses.ok() ? addresses->get() : nullptr; at != nullptr;
         at = at->ai_next) {
      auto connected = connect_once(*at, deadline);
      if (connected.ok()) return connected;
      last = connected.error();
    }
    const bool stopped = stop != nullptr && *stop;
    if (stopped || Clock::now() + kPauseBetweenAttempts >= deadline) return *last;
    std::this_thread::sleep_for(kPauseBetweenAttempts);
  }
}

std::string local_address(const UniqueFd& socket) { return numeric_name(socket, ::getsockname); }
std::string peer_address(const UniqueFd& socket) { return numeric_name(socket, ::getpeername); }

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string endpoint(const std::string& host, std::uint16_t port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

}  // namespace tacho
