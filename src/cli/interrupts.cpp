#include "cli/interrupts.h"

#include <csignal>

namespace tacho {
namespace {

// A signal handler can reach nothing but a global.
std::atomic<int> count{0};
static_assert(std::atomic<int>::is_always_lock_free);

void add_one(int /*signal*/) { ++count; }

}  // namespace

const std::atomic<int>& interrupts() { return count; }

void catch_interrupts() {
  std::signal(SIGINT, add_one);
  std::signal(SIGTERM, add_one);
}

}  // namespace tacho
