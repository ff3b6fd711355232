#include "comm/shm_meeting.h"

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

#include "comm/shm_process.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

// Its last two bytes change with what lies in the segment: two versions of Tacho do not share one.
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
  std::array<char, 256> refusal{};  // empty: the segment comes with it
};

// The kernel's list of names begins with a zero byte.
Result<std::pair<sockaddr_un, socklen_t>> address_of(const std::string& name) {
  if (name.empty() || name.size() > kMaxName) {
    return Error{ErrorCode::usage, fmt::format("a group's name has 1 to {} characters, not {}",
                                               kMaxName, name.size())};
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
  ::sendmsg(fd, &message, MSG_NOSIGNAL);  // who does not get it is found missing
}

// The segment's descriptor, or none with what the answer says.
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

// Rank 0's side: who is there, each with the line it came on.
class Reception {
 public:
  Reception(const ShmMeeting& meeting, const ShmSegment& segment)
      : meeting_(meeting), segment_(segment), lines_(static_cast<std::size_t>(meeting.size)) {}

  [[nodiscard]] bool complete() const {
    return std::all_of(lines_.begin() + 1, lines_.end(), [](const auto& line) { return !!line; });
  }

  // Waits for one more, or for news of those that are there.
  Result<void> wait(int listener, Clock::time_point deadline) {
    std::vector<pollfd> watched{{listener, POLLIN, 0}};
    for (const UniqueFd& line : lines_) watched.push_back({line.get(), POLLIN, 0});
    const int news = ::poll(watched.data(), watched.size(), milliseconds_to(deadline));
    if (news == 0) return nobody_came();
    if (news < 0) return {};  // a signal
    for (std::size_t rank = 1; rank < lines_.size(); ++rank) {
      if (watched[rank + 1].revents != 0) {
        return Error{ErrorCode::failed, fmt::format("rank {} (pid {}) is gone", rank,
                                                    peer_of(lines_[rank].get()).pid)};
      }
    }
    return watched[0].revents != 0 ? receive(listener) : Result<void>{};
  }

 private:
  Result<void> receive(int listener) {
    UniqueFd line(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (!line || peer_of(line.get()).uid != ::geteuid()) return {};
    Hello hello;
    // A rank speaks as soon as it is connected; whoever stays silent is none.
    if (!waits_for_input(line.get(), 1000)) return {};
    if (::recv(line.get(), &hello, sizeof hello, MSG_TRUNC) != sizeof hello) return {};
    if (hello.layout >> 16U != kLayout >> 16U) return {};
    const std::string refusal = refusal_of(hello);
    Answer answer;
    std::copy_n(refusal.begin(), std::min(refusal.size(), answer.refusal.size() - 1),
                answer.refusal.begin());
    send_answer(line.get(), answer, refusal.empty() ? segment_.fd() : -1);
    if (refusal.empty()) {
      lines_[static_cast<std::size_t>(hello.rank)] = std::move(line);
      return {};
    }
    return Error{ErrorCode::failed, refusal};
  }

  [[nodiscard]] std::string refusal_of(const Hello& hello) const {
    if (hello.layout != kLayout) {
      return fmt::format("rank {} runs another version of Tacho than rank 0", hello.rank);
    }
    if (hello.size != meeting_.size || hello.bytes != meeting_.bytes) {
      return fmt::format("rank {} expects {} ranks with {} bytes each, but rank 0 {} with {}",
                         hello.rank, hello.size, hello.bytes, meeting_.size, meeting_.bytes);
    }
    if (hello.rank <= 0 || hello.rank >= meeting_.size) {
      return fmt::format("there is no rank {} among {}", hello.rank, meeting_.size);
    }
    if (lines_[static_cast<std::size_t>(hello.rank)]) {
      return fmt::format("two processes say that they are rank {}", hello.rank);
    }
    if (hello.pid_namespace != ProcessMark::of_self().pid_namespace) {
      return fmt::format(
          "rank {} is in another container than rank 0, where they cannot watch "
          "each other: start the ranks of a host in one PID namespace",
          hello.rank);
    }
    return "";
  }

  [[nodiscard]] Error nobody_came() const {
    const auto missing =
        std::find_if(lines_.begin() + 1, lines_.end(), [](const UniqueFd& line) { return !line; });
    return {ErrorCode::failed,
            fmt::format("rank {} has not come to join the group for {}", missing - lines_.begin(),
                        human(Seconds(meeting_.timeout)))};
  }

  const ShmMeeting& meeting_;
  const ShmSegment& segment_;
  std::vector<UniqueFd> lines_;
};

}  // namespace

Result<void> ShmMeeting::hand_out(const ShmSegment& segment) const {
  const auto deadline = Clock::now() + timeout;
  TACHO_TRY(address, address_of(name));
  const UniqueFd listener = new_socket();
  if (!listener) return system_error("a socket", errno);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address.first), address.second) !=
      0) {
    if (errno != EADDRINUSE) return system_error("a socket for " + name, errno);
    return Error{ErrorCode::failed, fmt::format("another process is rank 0 of the group '{}' now: "
                                                "give every job a name of its own",
                                                name)};
  }
  if (::listen(listener.get(), size) != 0) return system_error("a socket for " + name, errno);
  Reception reception(*this, segment);
  while (!reception.complete()) TACHO_CHECK(reception.wait(listener.get(), deadline));
  return {};
}

Result<ShmMeeting::Invitation> ShmMeeting::attend(std::size_t segment_bytes) const {
  const auto deadline = Clock::now() + timeout;
  const Error late{ErrorCode::failed, fmt::format("rank 0 has not come to join the group for {}",
                                                  human(Seconds(timeout)))};
  TACHO_TRY(address, address_of(name));
  UniqueFd line = new_socket();
  if (!line) return system_error("a socket", errno);
  auto pause = std::chrono::milliseconds(1);
  while (::connect(line.get(), reinterpret_cast<const sockaddr*>(&address.first), address.second) !=
         0) {
    if (errno != ECONNREFUSED && errno != EINTR) return system_error("a socket for " + name, errno);
    if (Clock::now() >= deadline) return late;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(16));
  }
  const Hello hello{kLayout, bytes, ProcessMark::of_self().pid_namespace, rank, size};
  ::send(line.get(), &hello, sizeof hello, MSG_NOSIGNAL);  // what went wrong, the answer tells
  if (!waits_for_input(line.get(), milliseconds_to(deadline))) return late;
  Answer answer;
  bool came = false;
  UniqueFd fd = receive_answer(line.get(), answer, came);
  if (!came) return Error{ErrorCode::failed, "rank 0 is gone or has given up to form the group"};
  if (!fd) return Error{ErrorCode::failed, answer.refusal.data()};
  TACHO_TRY(segment, ShmSegment::map(std::move(fd), segment_bytes));
  return Invitation{std::move(segment), std::move(line)};
}

}  // namespace tacho
