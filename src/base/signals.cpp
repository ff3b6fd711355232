#include "base/signals.h"

namespace tacho {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<int> signals_caught{0};
std::atomic<int> last_signal{0};
std::atomic<bool> caught_any{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void count_signal(int number) {
  last_signal = number;
  ++signals_caught;
  caught_any = true;
}

}  // namespace

const std::atomic<int>& interrupts() { return signals_caught; }

const std::atomic<bool>& stop_requested() { return caught_any; }

void catch_interrupts() {
  std::signal(SIGINT, count_signal);
  std::signal(SIGTERM, count_signal);
}

int interrupted_exit_code() {
  const int number = last_signal;
  return number == 0 ? 0 : 128 + number;
}

void outlive_readers() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace tacho
