#include "microbench/comms/link_rate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/record/statistics.h"
#include "machine/comm/job_secret.h"
#include "machine/comm/tcp.h"
#include "microbench/comms/gather_numbers.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kChunk = std::size_t{256} << 10;
constexpr std::chrono::seconds kPatience{30};

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

Result<std::uint16_t> port_of(const UniqueFd& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return system_error("a socket's port", errno);
  }
  return address.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port)
             : ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

void make_blocking(const UniqueFd& socket, std::chrono::seconds longest_wait) {
  ::fcntl(socket.get(), F_SETFL, ::fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
  const timeval patience{.tv_sec = longest_wait.count(), .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

// Sends for `time`, then closes the sending side.
void send_for(const UniqueFd& connection, std::chrono::milliseconds time) {
  const std::vector<std::byte> chunk(kChunk);
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    if (::send(connection.get(), chunk.data(), chunk.size(), MSG_NOSIGNAL) <= 0) break;
  }
  ::shutdown(connection.get(), SHUT_WR);
}

// Returns the rate between the first and the last read. The bytes of the first read do not count,
// because their transfer began earlier.
Result<double> receive_all(const UniqueFd& connection) {
  std::vector<std::byte> chunk(kChunk);
  const auto problem = [] { return system_error("connection to another rank", errno); };
  if (::recv(connection.get(), chunk.data(), chunk.size(), 0) <= 0) return problem();
  const auto begin = Clock::now();
  auto last = begin;
  double bytes = 0;
  ssize_t got = 0;
  while ((got = ::recv(connection.get(), chunk.data(), chunk.size(), 0)) > 0) {
    bytes += static_cast<double>(got);
    last = Clock::now();
  }
  if (got < 0) return problem();
  return last > begin ? bytes / seconds_between(begin, last) : 0;
}

// This rank's listening socket and the ports of all ranks.
struct Listeners {
  UniqueFd own;
  std::vector<double> ports;
  std::string token;  // identifies a connection of a rank
};

Result<Listeners> open_listeners(Rendezvous& rendezvous, int rank, int ranks) {
  const std::string& address = rendezvous.members()[static_cast<std::size_t>(rank)].address;
  TACHO_TRY(own, listen_only_at(address, 0));
  TACHO_TRY(port, port_of(own));
  TACHO_TRY(all, gather_numbers(rendezvous, rank, ranks, {static_cast<double>(port)}));
  TACHO_TRY(token, rendezvous.share("socket token", new_job_secret()));
  Listeners listeners{std::move(own), {}, token};
  for (const auto& numbers : all) listeners.ports.push_back(numbers.front());
  return listeners;
}

// Accepts the connection of a rank, which sends the token first. Drops connections that send
// something else or nothing within two seconds.
Result<UniqueFd> accept_rank(const Listeners& listeners) {
  constexpr std::chrono::seconds kTokenTimeout{2};
  const auto deadline = Clock::now() + kPatience;
  while (Clock::now() < deadline) {
    pollfd waiting{listeners.own.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    ::poll(&waiting, 1, static_cast<int>(left.count()));
    UniqueFd connection = accept_from(listeners.own);
    if (!connection) continue;
    make_blocking(connection, kTokenTimeout);
    std::string token(listeners.token.size(), '\0');
    const ssize_t got = ::recv(connection.get(), token.data(), token.size(), MSG_WAITALL);
    if (std::cmp_not_equal(got, token.size()) || token != listeners.token) continue;
    make_blocking(connection, kPatience);
    return connection;
  }
  return Error{ErrorCode::failed, "no rank connected to the socket"};
}

// Sends to rank `to`, if given, and receives if `receives`. Returns the rate of the received data;
// 0 if it does not receive.
Result<double> stream(Rendezvous& rendezvous, const Listeners& listeners, std::optional<int> to,
                      bool receives, std::chrono::milliseconds time) {
  UniqueFd out;
  if (to) {
    const auto next = static_cast<std::size_t>(*to);
    TACHO_TRY(connected, connect_to(rendezvous.members()[next].address,
                                    static_cast<std::uint16_t>(listeners.ports[next]),
                                    Clock::now() + kPatience));
    make_blocking(connected, kPatience);
    TACHO_CHECK(write_all(connected.get(), listeners.token, "a socket"));
    out = std::move(connected);
  }
  UniqueFd in;
  if (receives) {
    TACHO_TRY(accepted, accept_rank(listeners));
    in = std::move(accepted);
  }
  TACHO_CHECK(rendezvous.agree("plain sockets", {}));
  std::jthread sender;
  if (out) sender = std::jthread([&] { send_for(out, time); });
  Result<double> rate = in ? receive_all(in) : Result<double>(0.0);
  if (sender.joinable()) sender.join();
  return rate;
}

double copy_rate(std::chrono::milliseconds time) {
  constexpr std::size_t kBlock = std::size_t{64} << 20;  // larger than most caches
  std::vector<std::byte> from(kBlock, std::byte{1});
  std::vector<std::byte> to(kBlock);
  std::vector<double> seconds;
  const auto end = Clock::now() + time;
  while (Clock::now() < end || seconds.size() < 3) {
    const auto begin = Clock::now();
    std::memcpy(to.data(), from.data(), kBlock);
    seconds.push_back(seconds_between(begin, Clock::now()));
  }
  return static_cast<double>(kBlock) / median(seconds);
}

}  // namespace

Result<bandwidth::LinkRates> measure_links(Rendezvous& rendezvous, int rank, int ranks,
                                           std::chrono::milliseconds each) {
  bandwidth::LinkRates lines;
  TACHO_CHECK(rendezvous.agree("copies", {}));
  TACHO_TRY(copies, gather_numbers(rendezvous, rank, ranks, {copy_rate(each)}));
  for (const auto& numbers : copies) lines.copy_bytes_per_s += numbers.front() / ranks;
  if (ranks == 1) return lines;

  TACHO_TRY(listeners, open_listeners(rendezvous, rank, ranks));
  const bool is_last = rank == ranks - 1;
  TACHO_TRY(alone, stream(rendezvous, listeners, is_last ? std::optional(0) : std::nullopt,
                          rank == 0, each));
  lines.stream_bytes_per_s = alone;
  TACHO_TRY(in_ring, stream(rendezvous, listeners, (rank + 1) % ranks, true, each));
  TACHO_TRY(rates, gather_numbers(rendezvous, rank, ranks, {in_ring}));
  for (const auto& numbers : rates) lines.ring_bytes_per_s += numbers.front() / ranks;
  return lines;
}

}  // namespace tacho
