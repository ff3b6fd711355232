#pragma once

#include <atomic>

namespace tacho {

// How often Ctrl-C (or SIGTERM) came since catch_interrupts(). Until that is called they end the
// program as usual, which is right for everything but a run under way.
const std::atomic<int>& interrupts();
void catch_interrupts();

// From now on a reader that goes away (tacho run … | head) does not end this process.
void outlive_readers();

}  // namespace tacho
