#include "machine/comm/shm_rendezvous.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "machine/comm/shm_process.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

// The last two bytes are the version of the segment's layout: different versions cannot share one.
constexpr std::uint64_t kLayout = 0x7461'6368'6f00'0001;
constexpr std::size_t kMaxName = 80;

struct Hello {
  std::uint64_t layout = kLayout;
  std::uint64_t bytes = 0;
  std::uint64_t pid_namespace = 0;
  std::int32_t rank = 0;
  std::int32_t size = 0;
};

struct Answer {
  std::array<char, 256> refusal{};  // empty if the segment is attached
};

// Returns an abstract socket address, which begins with a zero byte.
Result<std::pair<sockaddr_un, socklen_t>> address_of(const std::string& name) {
  if (name.empty() || name.size() > kMaxName) {
    return Error{ErrorCode::usage,
                 fmt::format("a group name has 1 to {} characters, not {}", kMaxName, name.size())};
  }
  const std::string text = "tacho-shm-" + name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(text.begin(), text.end(), address.sun_path + 1);
  return std::pair{address,
                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size())};
}

UniqueFd new_socket() { return UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

int milliseconds_to(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT32_MAX));
}

bool waits_for_input(int fd, int milliseconds) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) > 0;
}

ucred peer_of(int fd) {
  ucred peer{.pid = 0, .uid = static_cast<uid_t>(-1), .gid = 0};
  socklen_t size = sizeof peer;
  ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return peer;
}

void send_answer(int fd, const Answer& answer, int segment_fd) {
  iovec text{const_cast<Answer*>(&answer), sizeof answer};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  if (segment_fd >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &segment_fd, sizeof segment_fd);
  }
  ::sendmsg(fd, &message, MSG_NOSIGNAL);  // on failure the rank is missing later
}

// Returns the segment's descriptor, or none if rank 0 refused or disconnected.
UniqueFd receive_answer(int fd, Answer& answer, bool& came) {
  iovec text{&answer, sizeof answer};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  came = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC) == sizeof answer;
  answer.refusal.back() = '\0';
  const cmsghdr* header = came ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
  int segment_fd = -1;
  std::memcpy(&segment_fd, CMSG_DATA(header), sizeof segment_fd);
  return UniqueFd(segment_fd);
}

// Rank 0's side: the connections of the ranks that have joined.
class JoinServer {
 public:
  JoinServer(const ShmRendezvous& meeting, const ShmSegment& segment)
      : meeting_(meeting),
        segment_(segment),
        connections_(static_cast<std::size_t>(meeting.size)) {}

  [[nodiscard]] bool complete() const {
    return std::all_of(connections_.begin() + 1, connections_.end(),
                       [](const auto& connection) { return !!connection; });
  }

  // Waits for another rank, or for the exit of one that has joined.
  Result<void> wait(int listener, Clock::time_point deadline) {
    std::vector<pollfd> watched{{listener, POLLIN, 0}};
    for (const UniqueFd& connection : connections_)
      watched.push_back({connection.get(), POLLIN, 0});
    const int ready = ::poll(watched.data(), watched.size(), milliseconds_to(deadline));
    if (ready == 0) return missing_rank();
    if (ready < 0) return {};  // interrupted by a signal
    for (std::size_t rank = 1; rank < connections_.size(); ++rank) {
      if (watched[rank + 1].revents != 0) {
        return Error{ErrorCode::failed, fmt::format("rank {} (pid {}) died", rank,
                                                    peer_of(connections_[rank].get()).pid)};
      }
    }
    return watched[0].revents != 0 ? receive(listener) : Result<void>{};
  }

 private:
  Result<void> receive(int listener) {
    UniqueFd connection(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection || peer_of(connection.get()).uid != ::geteuid()) return {};
    Hello hello;
    // A rank sends its hello immediately; a silent connection is not a rank.
    if (!waits_for_input(connection.get(), 1000)) return {};
    if (::recv(connection.get(), &hello, sizeof hello, MSG_TRUNC) != sizeof hello) return {};
    if (hello.layout >> 16U != kLayout >> 16U) return {};
    const std::string refusal = refusal_of(hello);
    Answer answer;
    std::copy_n(refusal.begin(), std::min(refusal.size(), answer.refusal.size() - 1),
                answer.refusal.begin());
    send_answer(connection.get(), answer, refusal.empty() ? segment_.fd() : -1);
    if (refusal.empty()) {
      connections_[static_cast<std::size_t>(hello.rank)] = std::move(connection);
      return {};
    }
    return Error{ErrorCode::failed, refusal};
  }

  [[nodiscard]] std::string refusal_of(const Hello& hello) const {
    if (hello.layout != kLayout) {
      return fmt::format("rank {} runs another version of Tacho than rank 0", hello.rank);
    }
    if (hello.size != meeting_.size || hello.bytes != meeting_.bytes) {
      return fmt::format(
          "rank {} expects {} ranks with {} bytes each, but rank 0 expects {} with {}", hello.rank,
          hello.size, hello.bytes, meeting_.size, meeting_.bytes);
    }
    if (hello.rank <= 0 || hello.rank >= meeting_.size) {
      return fmt::format("rank {} is out of range for {} ranks", hello.rank, meeting_.size);
    }
    if (connections_[static_cast<std::size_t>(hello.rank)]) {
      return fmt::format("two processes claim to be rank {}", hello.rank);
    }
    if (hello.pid_namespace != ProcessIdentity::of_self().pid_namespace) {
      return fmt::format(
          "rank {} is in another container than rank 0, so they cannot detect that the other "
          "exits: start the ranks of a host in one PID namespace",
          hello.rank);
    }
    return "";
  }

  [[nodiscard]] Error missing_rank() const {
    const auto missing = std::find_if(connections_.begin() + 1, connections_.end(),
                                      [](const UniqueFd& connection) { return !connection; });
    return {ErrorCode::failed,
            fmt::format("rank {} did not join the group within {}", missing - connections_.begin(),
                        human(Seconds(meeting_.timeout)))};
  }

  const ShmRendezvous& meeting_;
  const ShmSegment& segment_;
  std::vector<UniqueFd> connections_;
};

}  // namespace

Result<void> ShmRendezvous::serve(const ShmSegment& segment) const {
  const auto deadline = Clock::now() + timeout;
  TACHO_TRY(address, address_of(name));
  const UniqueFd listener = new_socket();
  if (!listener) return system_error("a socket", errno);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address.first), address.second) !=
      0) {
    if (errno != EADDRINUSE) return system_error("a socket for " + name, errno);
    return Error{ErrorCode::failed,
                 fmt::format("another process is already rank 0 of the group '{}': "
                             "give every job a unique name",
                             name)};
  }
  if (::listen(listener.get(), size) != 0) return system_error("a socket for " + name, errno);
  JoinServer server(*this, segment);
  while (!server.complete()) TACHO_CHECK(server.wait(listener.get(), deadline));
  return {};
}

Result<ShmRendezvous::Joined> ShmRendezvous::join(std::size_t segment_bytes) const {
  const auto deadline = Clock::now() + timeout;
  const Error late{ErrorCode::failed,
                   fmt::format("rank 0 did not join the group within {}", human(Seconds(timeout)))};
  TACHO_TRY(address, address_of(name));
  UniqueFd connection = new_socket();
  if (!connection) return system_error("a socket", errno);
  auto pause = std::chrono::milliseconds(1);
  while (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address.first),
                   address.second) != 0) {
    if (errno != ECONNREFUSED && errno != EINTR) return system_error("a socket for " + name, errno);
    if (Clock::now() >= deadline) return late;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(16));
  }
  const Hello hello{kLayout, bytes, ProcessIdentity::of_self().pid_namespace, rank, size};
  ::send(connection.get(), &hello, sizeof hello, MSG_NOSIGNAL);  // on failure there is no answer
  if (!waits_for_input(connection.get(), milliseconds_to(deadline))) return late;
  Answer answer;
  bool came = false;
  UniqueFd fd = receive_answer(connection.get(), answer, came);
  if (!came)
    return Error{ErrorCode::failed, "rank 0 exited or gave up before the group was complete"};
  if (!fd) return Error{ErrorCode::failed, answer.refusal.data()};
  TACHO_TRY(segment, ShmSegment::map(std::move(fd), segment_bytes));
  return Joined{std::move(segment), std::move(connection)};
}

}  // namespace tacho
