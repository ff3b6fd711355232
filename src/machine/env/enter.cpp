// tacho-enter LOG FALLBACK PROGRAM [ARGUMENTS…]
//
// The first program inside an environment. Starts PROGRAM, or FALLBACK if that is not empty and
// PROGRAM does not exist; forwards signals to it, waits, and ends as it ended. Writes to LOG when
// it began, when (by the monotonic clock) and how the program ended, and its resource usage, which
// is not visible outside for a daemon's child (machine/env/entry_log.h reads it). Linked
// statically, because an image may have no libraries, and minimal, because it is part of what is
// measured.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

namespace {

constexpr int kNotFound = 127;  // as in a shell
constexpr int kNotStarted = 126;

timespec now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time;
}

// Writes times as whole seconds and microseconds, to avoid formatting floating point.
void log_end(int log, int raw, const rusage& used, long out_of_memory_kills) {
  const timespec at = now();
  ::dprintf(
      log,
      "ended %lld.%09ld code %d signal %d user %lld.%06ld system %lld.%06ld peak_kib %ld "
      "minor %ld major %ld voluntary %ld involuntary %ld read %ld written %ld oom_kills %ld\n",
      static_cast<long long>(at.tv_sec), at.tv_nsec, WIFEXITED(raw) ? WEXITSTATUS(raw) : 0,
      WIFSIGNALED(raw) ? WTERMSIG(raw) : 0, static_cast<long long>(used.ru_utime.tv_sec),
      used.ru_utime.tv_usec, static_cast<long long>(used.ru_stime.tv_sec), used.ru_stime.tv_usec,
      used.ru_maxrss, used.ru_minflt, used.ru_majflt, used.ru_nvcsw, used.ru_nivcsw,
      used.ru_inblock, used.ru_oublock, out_of_memory_kills);
}

// Returns the count of the container's group, from cgroup v2 or v1; 0 if it is not visible.
long out_of_memory_kills() {
  const char* const files[] = {"/sys/fs/cgroup/memory.events",
                               "/sys/fs/cgroup/memory/memory.oom_control"};
  for (const char* file : files) {
    const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    char text[1024];
    const ssize_t size = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (size <= 0) continue;
    text[size] = '\0';
    const char* at = std::strstr(text, "oom_kill ");
    if (at != nullptr) return std::strtol(at + std::strlen("oom_kill "), nullptr, 10);
  }
  return 0;
}

// Returns all signals that may be sent to this process, except those raised by its own faults.
sigset_t forwarded_signals() {
  sigset_t set;
  sigfillset(&set);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGTSTP, SIGTTIN,
                        SIGTTOU, SIGCONT}) {
    sigdelset(&set, own);
  }
  return set;
}

[[noreturn]] void become(char** argv, const char* fallback, const sigset_t& mask, int report) {
  ::setpgid(0, 0);
  // Killing this process from outside must kill the program.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execvp(argv[0], argv);
  if (errno == ENOENT && *fallback != '\0') ::execv(fallback, argv);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
  ::_exit(kNotFound);
}

[[noreturn]] void end_as(int raw) {
  if (WIFSIGNALED(raw)) {
    const int number = WTERMSIG(raw);
    // The program has already written a core dump, if enabled.
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::prctl(PR_SET_DUMPABLE, 0);
    std::signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
    ::kill(::getpid(), number);
    ::_exit(128 + number);
  }
  ::_exit(WEXITSTATUS(raw));
}

}  // namespace

int main(int argc, char** argv) {
  const timespec began = now();
  if (argc < 4) {
    std::fputs("tacho-enter is started by tacho inside an environment\n", stderr);
    return 2;
  }
  const int log = ::open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) {
    std::fprintf(stderr, "tacho-enter: %s: %s\n", argv[1], std::strerror(errno));
    return kNotStarted;
  }
  ::dprintf(log, "began %lld.%09ld\n", static_cast<long long>(began.tv_sec), began.tv_nsec);

  // Entering the environment has reset the parent-death signal.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGCHLD, SIG_DFL);
  sigset_t before;
  const sigset_t taken = forwarded_signals();
  ::sigprocmask(SIG_BLOCK, &taken, &before);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return kNotStarted;
  const long killed_before = out_of_memory_kills();
  const pid_t program = ::fork();
  if (program < 0) return kNotStarted;
  if (program == 0) become(argv + 3, argv[2], before, report[1]);
  ::setpgid(program, program);
  ::close(report[1]);
  int error = 0;
  if (::read(report[0], &error, sizeof error) == sizeof error) {
    ::dprintf(log, "failed %d\n", error);
    return error == ENOENT ? kNotFound : kNotStarted;
  }
  while (true) {
    const int number = ::sigwaitinfo(&taken, nullptr);
    if (number > 0 && number != SIGCHLD) ::kill(-program, number);
    if (number != SIGCHLD) continue;
    int raw = 0;
    rusage used{};
    if (::wait4(program, &raw, WNOHANG, &used) != program) continue;
    log_end(log, raw, used, out_of_memory_kills() - killed_before);
    end_as(raw);
  }
}
