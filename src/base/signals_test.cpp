#include "base/signals.h"

#include <gtest/gtest.h>

#include <thread>

namespace tacho {
namespace {

bool is_blocked(int number) {
  sigset_t now;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return sigismember(&now, number) == 1;
}

TEST(Signals, AreCountedOnceTheyAreCaught) {
  EXPECT_FALSE(stop_requested());
  EXPECT_EQ(interrupted_exit_code(), 0);
  catch_interrupts();
  std::raise(SIGINT);
  std::raise(SIGTERM);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  EXPECT_EQ(interrupts(), 2);
  EXPECT_TRUE(stop_requested());
  EXPECT_EQ(interrupted_exit_code(), 143);
}

TEST(SignalsBlocked, HoldsForNewThreadsAndEndsWithTheScope) {
  bool in_thread = false;
  {
    const SignalsBlocked blocked;
    EXPECT_TRUE(is_blocked(SIGTERM));
    std::thread([&] { in_thread = is_blocked(SIGTERM); }).join();
  }
  EXPECT_TRUE(in_thread);
  EXPECT_FALSE(is_blocked(SIGTERM));
}

}  // namespace
}  // namespace tacho
