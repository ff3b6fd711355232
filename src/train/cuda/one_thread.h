#pragma once

#include <c10/core/AutogradState.h>

namespace tacho {

// While it lives, torch walks back on the thread that asks for it. By itself it hands the work to a
// thread of the GPU's and waits, so that each step wakes two, and both keep a workspace of
// cuBLAS's. Where the GPU waits for launches, on a virtual machine, the waking was a fifth of a
// step of DistilBERT's or a perceptron's; a captured step has no need of it.
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
