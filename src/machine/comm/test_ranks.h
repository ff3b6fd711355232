#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "machine/comm/rendezvous.h"

namespace tacho {

using Met = Result<std::unique_ptr<Rendezvous>>;
inline constexpr std::chrono::milliseconds kPatient{60000};
inline constexpr const char* kTestSecret = "the-secret-of-the-job-under-test";

// A loopback port that is bound, so that no other program gets it.
class TestPort {
 public:
  TestPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.get(), plain, size) != 0) broken_invariant("no port is free");
    ::getsockname(socket_.get(), plain, &size);
    number_ = ntohs(address.sin_port);
  }

  [[nodiscard]] std::uint16_t number() const { return number_; }
  void listen() const { ::listen(socket_.get(), SOMAXCONN); }
  // Returns a listening descriptor that rank 0 owns.
  [[nodiscard]] int handed_over() const {
    listen();
    return ::dup(socket_.get());
  }
  [[nodiscard]] UniqueFd connected() const {
    UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(number_);
    if (::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      broken_invariant("cannot connect to the port");
    }
    return client;
  }

 private:
  UniqueFd socket_;
  std::uint16_t number_ = 0;
};

inline Rendezvous::Options rank_at(const TestPort& port, int rank, int size,
                                   std::chrono::milliseconds timeout = kPatient) {
  Rendezvous::Options options{
      .place = {.rank = rank, .size = size, .port = port.number(), .secret = kTestSecret},
      .timeout = timeout};
  if (rank == 0) options.place.listen_fd = port.handed_over();
  return options;
}

// Runs every rank in a thread, highest rank first, and returns when all are done.
inline void as_threads(int size, const std::function<void(int)>& rank_main) {
  std::vector<std::jthread> threads;
  for (int rank = size - 1; rank >= 0; --rank) threads.emplace_back(rank_main, rank);
}

inline std::vector<std::unique_ptr<Rendezvous>> meet_as_threads(
    int size, std::chrono::milliseconds timeout = kPatient) {
  const TestPort port;
  std::vector<std::unique_ptr<Rendezvous>> ranks(static_cast<std::size_t>(size));
  as_threads(size, [&](int rank) {
    ranks[static_cast<std::size_t>(rank)] =
        *Rendezvous::meet(rank_at(port, rank, size, timeout), {"batch 64"});
  });
  return ranks;
}

// A rank in a separate process, which can be stopped and killed. Start it before any thread.
class RankProcess {
 public:
  // report() returns the result of `rank_main`.
  explicit RankProcess(const std::function<std::string()>& rank_main) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) broken_invariant("no pipe");
    report_ = UniqueFd(ends[0]);
    const UniqueFd write_end(ends[1]);
    pid_ = ::fork();
    if (pid_ != 0) return;
    const std::string text = rank_main();
    const bool written = write_all(write_end.get(), text, "report").ok();
    ::_exit(written ? 0 : 1);
  }
  ~RankProcess() {
    signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }
  // Waits until the process has ended.
  [[nodiscard]] std::string report() const {
    std::string text;
    std::array<char, 4096> bytes;
    ssize_t got = 0;
    while ((got = ::read(report_.get(), bytes.data(), bytes.size())) > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  pid_t pid_ = -1;
  UniqueFd report_;
};

}  // namespace tacho
