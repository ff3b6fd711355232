#pragma once

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>

namespace tacho {

// CPU time of this process: the cost of an input, independent of other load.
class FuzzClock {
 public:
  [[nodiscard]] double seconds() const { return now() - begun_; }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  double begun_ = now();
};

class FuzzDeadline {
 public:
  explicit FuzzDeadline(double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>(seconds))) {}
  [[nodiscard]] bool passed() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

// Ends the program and writes its input to fuzz-input.bin if a reader aborts, computes for ten
// seconds or waits for a minute.
class FuzzWatchdog {
 public:
  FuzzWatchdog() {
    std::signal(SIGPROF, give_up);
    std::signal(SIGALRM, give_up);
    std::signal(SIGABRT, give_up);
  }
  ~FuzzWatchdog() { end(); }
  FuzzWatchdog(const FuzzWatchdog&) = delete;
  FuzzWatchdog& operator=(const FuzzWatchdog&) = delete;

  void begin(const std::string& input) {
    data_ = input.data();
    size_ = input.size();
    arm(10, 60);
  }
  void end() { arm(0, 0); }

  // Safe in a signal handler.
  static void keep(const char* data, std::size_t size) {
    const int file = ::open("fuzz-input.bin", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    while (file >= 0 && size > 0) {
      const ssize_t written = ::write(file, data, size);
      if (written <= 0) break;
      data += written;
      size -= static_cast<std::size_t>(written);
    }
    if (file >= 0) ::close(file);
  }

 private:
  static void arm(int processor_seconds, int wall_seconds) {
    itimerval time{};
    time.it_value.tv_sec = processor_seconds;
    ::setitimer(ITIMER_PROF, &time, nullptr);
    time.it_value.tv_sec = wall_seconds;
    ::setitimer(ITIMER_REAL, &time, nullptr);
  }
  static void give_up(int) {
    keep(data_, size_);
    constexpr char kWords[] = "fuzz: an input did not end, or ended in abort(): fuzz-input.bin\n";
    (void)!::write(STDERR_FILENO, kWords, sizeof kWords - 1);
    ::_exit(1);
  }
  // Static, because a signal handler has no other access to them.
  static inline const char* data_ = nullptr;
  static inline std::size_t size_ = 0;
};

}  // namespace tacho
