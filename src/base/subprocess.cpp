#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <span>

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!added.contains(std::string(text.substr(0, text.find('='))))) entries.emplace_back(text);
  }
  for (const auto& [name, value] : added) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

struct ChildPlan {
  char** argv;
  char** environment;
  const char* folder;
  int in;
  int out;
  int err;
  int report;  // the write end of a pipe that closes on exec: errno if exec fails
  pid_t parent;
  bool own_group;
  bool dies_with_parent;
  std::span<const int> inherited;
  std::span<const std::filesystem::path> cgroups;
  const cpu_set_t* cpus;  // nullptr: those of this process
};

// Writing 0 to cgroup.procs moves the writing process.
bool join(const std::filesystem::path& group) {
  const int file = ::open(group.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool joined = ::write(file, "0", 1) == 1;
  const int error = errno;
  ::close(file);
  errno = error;
  return joined;
}

// Resets all signal handlers: in the child they would change the parent's memory.
void forget_handlers() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL &&
        action.sa_handler != SIG_IGN) {
      ::signal(number, SIG_DFL);
    }
  }
}

// Runs between fork or vfork and exec, perhaps in the parent's memory: may use only
// async-signal-safe calls and write only to locals.
[[noreturn]] void become(const ChildPlan& plan) {
  forget_handlers();
  if (plan.own_group) ::setpgid(0, 0);
  if (plan.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // The parent may have died before the line above took effect.
    if (::getppid() != plan.parent) ::_exit(125);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (plan.in >= 0) ::dup2(plan.in, STDIN_FILENO);
  if (plan.out >= 0) ::dup2(plan.out, STDOUT_FILENO);
  if (plan.err >= 0) ::dup2(plan.err, STDERR_FILENO);
  for (const int descriptor : plan.inherited) ::fcntl(descriptor, F_SETFD, 0);
  const bool kept =
      plan.cpus == nullptr || ::sched_setaffinity(0, sizeof *plan.cpus, plan.cpus) == 0;
  const bool joined = std::all_of(plan.cgroups.begin(), plan.cgroups.end(), join);
  if (kept && joined && (plan.folder == nullptr || ::chdir(plan.folder) == 0)) {
    ::execvpe(plan.argv[0], plan.argv, plan.environment);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(plan.report, &error, sizeof error);
  ::_exit(127);
}

// fork copies the page tables, which takes milliseconds in a process with a large store. vfork
// shares the memory until exec, and the child inherits its peak. A separate function, so that no
// local of a caller lives across vfork.
[[gnu::noinline]] pid_t start_child(const ChildPlan& plan, bool borrows_memory) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  // NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork)
  const pid_t pid = borrows_memory ? ::vfork() : ::fork();
  if (pid == 0) become(plan);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

Result<cpu_set_t> cpu_set(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
      return Error{ErrorCode::usage, fmt::format("processor {} does not exist", cpu)};
    }
    CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  return set;
}

Result<pid_t> fork_and_exec(const Command& command, int out, int err) {
  if (command.argv.empty()) broken_invariant("a command without a program");
  auto arguments = command.argv;
  auto variables = merged_environment(command.environment);
  auto argv = pointers(arguments);
  auto environment = pointers(variables);
  TACHO_TRY(report, make_pipe());
  TACHO_TRY(cpus, cpu_set(command.cpus));

  const ChildPlan plan{argv.data(),
                       environment.data(),
                       command.folder ? command.folder->c_str() : nullptr,
                       command.in.value_or(-1),
                       out,
                       err,
                       report.write.get(),
                       ::getpid(),
                       command.own_group,
                       command.dies_with_parent,
                       command.inherited,
                       command.cgroups,
                       command.cpus.empty() ? nullptr : &cpus};
  const pid_t pid = start_child(plan, command.borrows_memory);
  if (pid < 0) return system_error(command.argv[0], errno);

  // Both sides set the group, so that it exists before either continues.
  if (command.own_group) ::setpgid(pid, pid);
  report.write.reset();
  int exec_error = 0;
  ssize_t got = 0;
  while ((got = ::read(report.read.get(), &exec_error, sizeof exec_error)) < 0 && errno == EINTR) {
  }
  if (got == sizeof exec_error) {
    ::waitpid(pid, nullptr, 0);
    return system_error(command.argv[0], exec_error);
  }
  return pid;
}

UniqueFd open_handle(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

Seconds seconds_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

ChildUsage usage_of(const rusage& used) {
  return {.user = seconds_of(used.ru_utime),
          .system = seconds_of(used.ru_stime),
          .peak_memory = Bytes{used.ru_maxrss * 1024},
          .minor_faults = used.ru_minflt,
          .major_faults = used.ru_majflt,
          .voluntary_switches = used.ru_nvcsw,
          .involuntary_switches = used.ru_nivcsw,
          .storage_read = Bytes{used.ru_inblock * 512},
          .storage_written = Bytes{used.ru_oublock * 512}};
}

}  // namespace

Result<std::filesystem::path> find_program(const std::string& name) {
  namespace fs = std::filesystem;
  const auto runs = [](const fs::path& file) {
    std::error_code problem;
    return ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, problem);
  };
  if (name.find('/') != std::string::npos) {
    if (runs(name)) return fs::path(name);
    return Error{ErrorCode::usage, name + ": not an executable file"};
  }
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  while (!name.empty()) {
    const auto end = folders.find(':');
    const fs::path file = fs::path(folders.substr(0, end)) / name;
    if (runs(file)) return file;
    if (end == std::string_view::npos) break;
    folders.remove_prefix(end + 1);
  }
  return Error{ErrorCode::usage, fmt::format("'{}' was not found in $PATH", name)};
}

std::string describe(ExitStatus status) {
  if (status.signal == 0) return fmt::format("exit code {}", status.code);
  return fmt::format("killed by signal {} ({})", status.signal, ::strsignal(status.signal));
}

Result<Process> Process::start(const Command& command) {
  UniqueFd output;
  if (command.output_file) {
    output = UniqueFd(::open(command.output_file->c_str(),
                             O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!output) return system_error(*command.output_file, errno);
  }
  TACHO_TRY(pid, fork_and_exec(command, command.out.value_or(output.get()),
                               command.err.value_or(output.get())));
  return Process(pid, open_handle(pid), command.own_group);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      handle_(std::move(other.handle_)),
      own_group_(other.own_group_),
      status_(other.status_),
      usage_(other.usage_) {}

Process::~Process() {
  if (pid_ < 0 || status_) return;
  signal(SIGKILL);
  wait();
}

void Process::signal(int number) const {
  if (pid_ > 0 && !status_) ::kill(own_group_ ? -pid_ : pid_, number);
}

void Process::reap(int options) {
  int raw = 0;
  pid_t got = 0;
  rusage used{};
  while ((got = ::wait4(pid_, &raw, options, &used)) < 0 && errno == EINTR) {
  }
  if (got != pid_) return;
  usage_ = usage_of(used);
  status_ = WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw)} : ExitStatus{WEXITSTATUS(raw), 0};
}

ExitStatus Process::wait() {
  if (!status_) reap(0);
  return status_.value_or(ExitStatus{});
}

std::optional<ExitStatus> Process::wait_for(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  while (!status_) {
    reap(WNOHANG);
    if (status_) break;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) break;
    pollfd ended{handle_.get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(left));
  }
  return status_;
}

bool Process::ends_within(std::chrono::milliseconds time) const {
  if (status_) return true;
  const auto deadline = Clock::now() + time;
  while (true) {
    siginfo_t ended{};
    const bool exists =
        ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (!exists || ended.si_pid == pid_) return true;  // it may have been waited for elsewhere
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd end{handle_.get(), POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(left));
  }
}

Result<Captured> capture(const Command& command, std::chrono::milliseconds limit, Bytes most) {
  TACHO_TRY(out, make_pipe());
  TACHO_TRY(err, make_pipe());
  Command alone = command;
  alone.own_group = true;
  alone.dies_with_parent = true;
  alone.borrows_memory = true;
  TACHO_TRY(pid, fork_and_exec(alone, out.write.get(), err.write.get()));
  out.write.reset();
  err.write.reset();

  Captured result;
  std::array<pollfd, 2> streams{pollfd{out.read.get(), POLLIN, 0},
                                pollfd{err.read.get(), POLLIN, 0}};
  const std::array<std::string*, 2> texts{&result.out, &result.err};
  const auto deadline = Clock::now() + limit;
  bool late = false;
  while (std::any_of(streams.begin(), streams.end(), [](const pollfd& s) { return s.fd >= 0; })) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    late = left <= 0;
    if (late) break;
    if (::poll(streams.data(), streams.size(), static_cast<int>(left)) < 0) continue;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      std::array<char, 4096> buffer;
      const ssize_t got = ::read(streams[i].fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        streams[i].fd = -1;
        continue;
      }
      const auto room = static_cast<std::size_t>(most.count) - texts[i]->size();
      texts[i]->append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    }
  }
  if (late) ::kill(-pid, SIGKILL);
  int raw = 0;
  while (::waitpid(pid, &raw, 0) < 0 && errno == EINTR) {
  }
  if (late) {
    return Error{ErrorCode::failed,
                 fmt::format("{}: no answer within {}", command.argv[0], human(Seconds(limit)))};
  }
  result.status = WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw)} : ExitStatus{WEXITSTATUS(raw), 0};
  return result;
}

}  // namespace tacho
