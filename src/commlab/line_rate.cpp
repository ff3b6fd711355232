#include "commlab/line_rate.h"

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

#include "comm/job_secret.h"
#include "comm/tcp.h"
#include "commlab/round_table.h"
#include "record/statistics.h"

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

// Sends until the time is up; the end of the stream tells the other side.
void send_for(const UniqueFd& line, std::chrono::milliseconds time) {
  const std::vector<std::byte> chunk(kChunk);
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    if (::send(line.get(), chunk.data(), chunk.size(), MSG_NOSIGNAL) <= 0) break;
  }
  ::shutdown(line.get(), SHUT_WR);
}

// From the first bytes to the last. The first are not counted: their way had begun before.
Result<double> receive_all(const UniqueFd& line) {
  std::vector<std::byte> chunk(kChunk);
  const auto problem = [] { return system_error("the line to another rank", errno); };
  if (::recv(line.get(), chunk.data(), chunk.size(), 0) <= 0) return problem();
  const auto begin = Clock::now();
  auto last = begin;
  double bytes = 0;
  ssize_t got = 0;
  while ((got = ::recv(line.get(), chunk.data(), chunk.size(), 0)) > 0) {
    bytes += static_cast<double>(got);
    last = Clock::now();
  }
  if (got < 0) return problem();
  return last > begin ? bytes / seconds_between(begin, last) : 0;
}

// Where every rank listens, known to all of them.
struct Doors {
  UniqueFd own;
  std::vector<double> ports;
  std::string word;  // by which a rank is told from anything else that connects
};

Result<Doors> open_doors(Rollcall& rollcall, int rank, int ranks) {
  const std::string& address = rollcall.members()[static_cast<std::size_t>(rank)].address;
  TACHO_TRY(own, listen_only_at(address, 0));
  TACHO_TRY(port, port_of(own));
  TACHO_TRY(all, gather_numbers(rollcall, rank, ranks, {static_cast<double>(port)}));
  TACHO_TRY(word, rollcall.share("the word at plain sockets", new_job_secret()));
  Doors doors{std::move(own), {}, word};
  for (const auto& numbers : all) doors.ports.push_back(numbers.front());
  return doors;
}

// Only ranks know the word that comes first. What says nothing is not waited for long.
Result<UniqueFd> accept_rank(const Doors& doors) {
  constexpr std::chrono::seconds kForTheWord{2};
  const auto deadline = Clock::now() + kPatience;
  while (Clock::now() < deadline) {
    pollfd waiting{doors.own.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    ::poll(&waiting, 1, static_cast<int>(left.count()));
    UniqueFd line = accept_from(doors.own);
    if (!line) continue;
    make_blocking(line, kForTheWord);
    std::string word(doors.word.size(), '\0');
    const ssize_t got = ::recv(line.get(), word.data(), word.size(), MSG_WAITALL);
    if (std::cmp_not_equal(got, word.size()) || word != doors.word) continue;
    make_blocking(line, kPatience);
    return line;
  }
  return Error{ErrorCode::failed, "no rank came to the plain socket"};
}

// This rank's part: to whom it sends, and whether somebody sends to it. The rate of what it
// received; 0 where it received nothing.
Result<double> stream(Rollcall& rollcall, const Doors& doors, std::optional<int> to, bool receives,
                      std::chrono::milliseconds time) {
  UniqueFd out;
  if (to) {
    const auto next = static_cast<std::size_t>(*to);
    TACHO_TRY(connected,
              connect_to(rollcall.members()[next].address,
                         static_cast<std::uint16_t>(doors.ports[next]), Clock::now() + kPatience));
    make_blocking(connected, kPatience);
    TACHO_CHECK(write_all(connected.get(), doors.word, "a plain socket"));
    out = std::move(connected);
  }
  UniqueFd in;
  if (receives) {
    TACHO_TRY(accepted, accept_rank(doors));
    in = std::move(accepted);
  }
  TACHO_CHECK(rollcall.agree("plain sockets", {}));
  std::jthread sender;
  if (out) sender = std::jthread([&] { send_for(out, time); });
  Result<double> rate = in ? receive_all(in) : Result<double>(0.0);
  if (sender.joinable()) sender.join();
  return rate;
}

double copy_rate(std::chrono::milliseconds time) {
  constexpr std::size_t kBlock = std::size_t{64} << 20;  // beyond most caches
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

Result<bandwidth::LineRates> measure_lines(Rollcall& rollcall, int rank, int ranks,
                                           std::chrono::milliseconds each) {
  bandwidth::LineRates lines;
  TACHO_CHECK(rollcall.agree("copies", {}));
  TACHO_TRY(copies, gather_numbers(rollcall, rank, ranks, {copy_rate(each)}));
  for (const auto& numbers : copies) lines.copy_bytes_per_s += numbers.front() / ranks;
  if (ranks == 1) return lines;

  TACHO_TRY(doors, open_doors(rollcall, rank, ranks));
  const bool is_last = rank == ranks - 1;
  TACHO_TRY(alone,
            stream(rollcall, doors, is_last ? std::optional(0) : std::nullopt, rank == 0, each));
  lines.stream_bytes_per_s = alone;
  TACHO_TRY(in_ring, stream(rollcall, doors, (rank + 1) % ranks, true, each));
  TACHO_TRY(rates, gather_numbers(rollcall, rank, ranks, {in_ring}));
  for (const auto& numbers : rates) lines.ring_bytes_per_s += numbers.front() / ranks;
  return lines;
}

}  // namespace tacho
