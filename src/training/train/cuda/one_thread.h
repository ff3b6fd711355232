#pragma once

#include <c10/core/AutogradState.h>

namespace tacho {

// During its lifetime, torch runs backward on the calling thread. By default it hands the work to a
// thread per GPU and waits, so that each step wakes two threads, and both keep a cuBLAS workspace.
// If the GPU waits for launches, on a virtual machine, waking took a fifth of a step of DistilBERT
// or an MLP; captured steps do not need it.
class OneThread {
 public:
  OneThread() : before_(state().get_multithreading_enabled()) {
    state().set_multithreading_enabled(false);
  }
  ~OneThread() { state().set_multithreading_enabled(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  static c10::AutogradState& state() { return c10::AutogradState::get_tls_state(); }

  bool before_;
};

}  // namespace tacho
