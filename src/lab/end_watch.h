#pragma once

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/run_clock.h"

namespace tacho {

// Takes down the moment in which a process ends, however busy the thread is that waits for it. The
// process must have ended before this goes.
class EndWatch {
 public:
  // `handle`: a pidfd. Without one nothing is told.
  explicit EndWatch(int handle) : handle_(handle < 0 ? -1 : ::dup(handle)) {
    if (!handle_) return;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    // Signals are for the threads that were there before.
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::jthread([this] {
      pollfd end{handle_.get(), POLLIN, 0};
      if (::poll(&end, 1, -1) == 1) ended_at_ = monotonic_seconds_now();
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

  // Seconds of the monotonic clock, once the process has been waited for.
  std::optional<double> ended_at() {
    if (thread_.joinable()) thread_.join();
    return ended_at_ > 0 ? std::optional(ended_at_.load()) : std::nullopt;
  }

 private:
  UniqueFd handle_;
  std::atomic<double> ended_at_{0};
  std::jthread thread_;
};

}  // namespace tacho
