#include "training/data/fetch/child_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"

namespace tacho {
namespace {

constexpr rlim_t kMaxSeconds = 20;
constexpr rlim_t kMaxMemory = 512 << 20;
constexpr Bytes kMaxOutput{64 << 20};

void limit(decltype(RLIMIT_CPU) what, rlim_t most) {
  const rlimit both{most, most};
  ::setrlimit(what, &both);
}

// noexcept: an exception must not run the parent's callers in the child.
[[noreturn]] void run_and_exit(const std::function<std::string()>& work, int out) noexcept {
  limit(RLIMIT_CPU, kMaxSeconds);
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers map terabytes
  limit(RLIMIT_AS, kMaxMemory);
#endif
  // Hides messages of the library or its crash from the user.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDERR_FILENO);
  const bool written = write_all(out, work(), "pipe").ok();
  ::_exit(written ? 0 : 1);
}

Result<std::string> all_of(int in) {
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (static_cast<std::int64_t>(text.size()) <= kMaxOutput.count) {
    const ssize_t got = ::read(in, buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("pipe", errno);
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return Error{ErrorCode::invalid, "contains too much data"};
}

}  // namespace

Result<std::string> run_in_child(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("pipe", errno);
  UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return system_error("fork", errno);
  if (child == 0) {
    in.reset();  // so that only the parent holds the read end
    run_and_exit(work, out.get());
  }
  out.reset();
  auto text = all_of(in.get());
  in.reset();  // a child that still writes gets SIGPIPE
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (text.ok() && status != 0) return Error{ErrorCode::invalid, "damaged"};
  return text;
}

}  // namespace tacho
