#pragma once

#include <atomic>

namespace tacho {

// Counts the signals SIGINT (Ctrl-C) and SIGTERM since catch_interrupts(). Before that call they
// end the process as usual, which is right for everything that does not measure or train.
const std::atomic<int>& interrupts();
void catch_interrupts();

// The exit code after the last of these signals: 130 for Ctrl-C, 143 for SIGTERM; 0 without one.
int interrupted_exit_code();

// Keeps this process alive when the reader of its output ends (tacho run … | head).
void outlive_readers();

}  // namespace tacho
