#include "cli/interrupts.h"

#include <csignal>

namespace tacho {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<int> signals_caught{0};
static_assert(std::atomic<int>::is_always_lock_free);

void add_one(int /*signal*/) { ++signals_caught; }

}  // namespace

const std::atomic<int>& interrupts() { return signals_caught; }

void catch_interrupts() {
  std::signal(SIGINT, add_one);
  std::signal(SIGTERM, add_one);
}

void outlive_readers() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace tacho
