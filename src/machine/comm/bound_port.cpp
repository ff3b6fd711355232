#include "machine/comm/bound_port.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <memory>

#include "machine/comm/address.h"
#include "machine/comm/tcp.h"

namespace tacho {
namespace {

struct FreeAddress {
  void operator()(addrinfo* address) const { ::freeaddrinfo(address); }
};

// Both are numbers. Returns null if the system lacks the kind of address.
std::unique_ptr<addrinfo, FreeAddress> numeric(const char* host, const char* port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  return std::unique_ptr<addrinfo, FreeAddress>(
      ::getaddrinfo(host, port, &hints, &found) == 0 ? found : nullptr);
}

Result<std::uint16_t> port_of(const UniqueFd& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  std::array<char, NI_MAXSERV> text{};
  if (::getsockname(socket.get(), plain, &size) != 0) return system_error("socket", errno);
  ::getnameinfo(plain, size, nullptr, 0, text.data(), text.size(), NI_NUMERICSERV);
  return parse_port(text.data());
}

Result<BoundPort> bind_at(const char* host, PortUse use) {
  const auto address = numeric(host, "0");
  UniqueFd socket(address ? ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1);
  const int on = 1;
  const int off = 0;
  if (use == PortUse::reserve) {
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }
  if (address && address->ai_family == AF_INET6) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (!socket || ::bind(socket.get(), address->ai_addr, address->ai_addrlen) != 0 ||
      (use == PortUse::listen && ::listen(socket.get(), SOMAXCONN) != 0)) {
    return system_error("the rendezvous socket", errno);
  }
  TACHO_TRY(port, port_of(socket));
  return BoundPort{std::move(socket), port};
}

// Returns the source address of packets to `there`, or "" if there is no route. Connecting a UDP
// socket sends nothing.
std::string source_address(const char* there) {
  const auto address = numeric(there, "9");
  const UniqueFd socket(address ? ::socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1);
  const bool routed = socket && ::connect(socket.get(), address->ai_addr, address->ai_addrlen) == 0;
  return routed ? local_address(socket) : "";
}

}  // namespace

Result<BoundPort> bind_port(Reach reach, PortUse use) {
  if (reach == Reach::this_machine) return bind_at("127.0.0.1", use);
  auto both = bind_at("::", use);
  return both.ok() ? std::move(both) : bind_at("0.0.0.0", use);
}

std::string own_address() {
  // Addresses for documentation, which only the default route leads to.
  for (const char* elsewhere : {"198.51.100.1", "2001:db8::1"}) {
    if (std::string address = source_address(elsewhere); !address.empty()) return address;
  }
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size()) == 0 ? name.data() : "localhost";
}

}  // namespace tacho
