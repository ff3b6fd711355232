#pragma once

#include <atomic>
#include <csignal>

namespace tacho {

// Counts the signals SIGINT (Ctrl-C) and SIGTERM since catch_interrupts(). Before that call they
// end the process as usual, which is right for everything that does not measure or train.
const std::atomic<int>& interrupts();
void catch_interrupts();

// True after the first of these signals.
const std::atomic<bool>& stop_requested();

// The exit code after the last of these signals: 130 for Ctrl-C, 143 for SIGTERM; 0 without one.
int interrupted_exit_code();

// Keeps this process alive when the reader of its output ends (tacho run … | head).
void outlive_readers();

// Blocks all signals in this thread, and in those that it starts meanwhile: the threads that
// existed before handle them. Defined here, because libtacho_inject.so does not link base.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace tacho
