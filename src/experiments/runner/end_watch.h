#pragma once

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/run_clock.h"
#include "base/signals.h"

namespace tacho {

// Records when a process ends, even if the thread that waits for it is busy. The process must end
// before this object is destroyed.
class EndWatch {
 public:
  // `handle` is a pidfd. If it is negative, the time is unknown.
  explicit EndWatch(int handle) : handle_(handle < 0 ? -1 : ::dup(handle)) {
    if (!handle_) return;
    const SignalsBlocked blocked;
    thread_ = std::jthread([this] {
      pollfd end{handle_.get(), POLLIN, 0};
      if (::poll(&end, 1, -1) == 1) ended_at_ = monotonic_seconds_now();
    });
  }
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

  // Returns seconds of the monotonic clock. Call it after waiting for the process.
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
